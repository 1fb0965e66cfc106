package io.shardedid.internal.lease;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.shardedid.SeparateJvm;
import io.shardedid.ShardedIds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A keeper in a JVM whose heap is really full for six seconds. */
@Tag("proof")
@Tag("nightly")
class KeeperHeapIT {

    @Test
    void renewsAndGivesBackAfterTheHeapWasFull(@TempDir Path folder) throws Exception {
        Path output = folder.resolve("output");
        List<String> command = SeparateJvm.command(FullHeap.class, ShardedIds.class);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertThat(process.waitFor(90, TimeUnit.SECONDS)).as("ended").isTrue();
            assertThat(process.exitValue()).as(Files.readString(output)).isZero();
            assertThat(Files.readString(output)).contains("errors=", "given back");
        }
        finally {
            process.destroyForcibly();
        }
    }

}
