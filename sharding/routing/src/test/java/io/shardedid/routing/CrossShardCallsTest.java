package io.shardedid.routing;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;

import javax.tools.ToolProvider;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** What is kept of the places in an application. */
@Tag("slow")
class CrossShardCallsTest {

    /** An application that makes its classes while it runs has places without end. */
    @Test
    void keepsAThousandPlacesAndCountsAllTransactions(@TempDir Path directory) throws Exception {
        int places = CrossShardCalls.LIMIT + 1;
        Path source = directory.resolve("Places.java");
        Files.writeString(source, "package com.acme; public class Places { public static void run(Runnable at) {\n"
                + "at.run();\n".repeat(places) + "}}");
        assertThat(ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-d", directory.toString(), source.toString())).isZero();
        CrossShardCalls crossings = new CrossShardCalls();

        try (URLClassLoader loader = new URLClassLoader(new URL[] { directory.toUri().toURL() })) {
            var run = loader.loadClass("com.acme.Places").getMethod("run", Runnable.class);
            for (int i = 0; i < 2; i++) {
                run.invoke(null, (Runnable) () -> crossings.add(() -> "Transaction touches two shards"));
            }
        }

        assertThat(crossings.total()).isEqualTo(2L * places);
        assertThat(crossings.sites()).hasSize(CrossShardCalls.LIMIT)
            .allSatisfy((site) -> assertThat(site.transactions()).isEqualTo(2));
    }

}
