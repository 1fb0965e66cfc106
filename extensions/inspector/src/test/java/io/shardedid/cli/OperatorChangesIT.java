package io.shardedid.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.internal.config.LeaseEnvironment;
import io.shardedid.internal.config.ShardedIdSettings;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What an operator does for each change of a lease table, as the page of the lease table
 * says it: the key and the option of each row of its table.
 */
@Tag("proof")
class OperatorChangesIT {

    private static final Path PAGE = Path.of("..", "..", "docs", "lease-table.md");

    private static final Pattern ROWS = Pattern
        .compile("\\| change \\| what is in `NEW\\.properties` \\|.*\n\\|[-|]*\n((?:\\|.*\n)*)");

    private static final Pattern KEY = Pattern.compile("`(shardedid\\.[a-z.-]+=[^`]+)`");

    private static final Pattern FIRST = Pattern.compile("first +(\\S+)");

    @TempDir
    private Path folder;

    static List<String> rows() throws IOException {
        Matcher table = ROWS.matcher(Files.readString(PAGE));
        assertThat(table.find()).isTrue();
        return table.group(1).lines().toList();
    }

    /** At once, because each of them mostly waits. */
    @Test
    void eachChangeIsMadeByTheCommandOfThePage() throws Exception {
        List<String> rows = rows();
        assertThat(rows).hasSize(4);
        ExecutorService operators = Executors.newFixedThreadPool(rows.size());
        try {
            Stream<Callable<Void>> all = rows.stream().map((row) -> () -> {
                change(row);
                return null;
            });
            for (Future<Void> each : operators.invokeAll(all.toList())) {
                each.get();
            }
        }
        finally {
            operators.shutdownNow();
        }
    }

    private void change(String row) throws IOException {
        String name = row.split("\\|")[1].strip().split("\\W")[0];
        Matcher key = KEY.matcher(row);
        assertThat(key.find()).as(row).isTrue();
        String old = "shardedid.worker.lease.promoted-clock-behind=0s\nshardedid.worker.lease.url=jdbc:h2:mem:changed_"
                + name + ";DB_CLOSE_DELAY=-1\n";
        Path before = Files.writeString(this.folder.resolve(name + ".old"), old);
        Path after = Files.writeString(this.folder.resolve(name + ".new"), old + key.group(1) + "\n");
        boolean left = row.contains("`--from=OLD.properties`");
        long last;
        try (ShardedIdEngine ids = open(before)) {
            last = ids.next(5);
        }
        if (!left) {
            assertRefused(after);
        }

        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        String config = "--config=" + after;
        int status = new Inspector(new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8), Instant.now())
            .run(left ? new String[] { "change", "--from=" + before, config } : new String[] { "change", config });

        assertThat(status).as("%s: %s", row, err).isZero();
        Matcher first = FIRST.matcher(out.toString(UTF_8));
        assertThat(first.find()).isTrue();
        if (row.contains("`shardedid.older-ids-before`")) {
            Files.writeString(after, old + key.group(1) + "\nshardedid.older-ids-before=" + first.group(1) + "\n");
        }
        try (ShardedIdEngine ids = open(after)) {
            assertThat(ids.next(5)).as(row).isGreaterThan(last);
        }
        assertRefused(before);
    }

    private static void assertRefused(Path keys) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> open(keys).close())
            .satisfies((ex) -> assertThat(ex.problem().remedy()).contains("Inspector change"));
    }

    private static ShardedIdEngine open(Path keys) {
        ShardedIdSettings settings = ShardedIdSettings.from(CommandLine.read(keys.toString()));
        return settings.builder().workers(settings.workers(LeaseEnvironment.UNKNOWN)).open();
    }

}
