package io.shardedid.testdb;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.jar.JarFile;
import java.util.stream.Stream;

import io.shardedid.tools.FreePort;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/** The versions of PostgreSQL that servers of a test's own run. */
public enum PostgresMajor {

    /** The one of the class path. */
    V18,

    /** The oldest that is proved; the build puts its jar beside the classes. */
    V15 {

        @Override
        public EmbeddedPostgres.Builder server() {
            return super.server().setPgBinaryResolver(PostgresMajor::fifteen);
        }

    };

    public EmbeddedPostgres.Builder server() {
        return EmbeddedPostgres.builder().setPort(FreePort.find()).setPGStartupWait(Duration.ofSeconds(90));
    }

    private static InputStream fifteen(String system, String hardware) throws IOException {
        List<Path> jars;
        try (Stream<Path> files = Files.list(Path.of("target", "postgres-15"))) {
            jars = files.filter((file) -> file.toString().endsWith(".jar")).toList();
        }
        for (Path each : jars) {
            try (JarFile jar = new JarFile(each.toFile())) {
                var entry = jar.getEntry("postgres-%s-%s.txz".formatted(system.toLowerCase(Locale.ROOT), hardware));
                if (entry != null) {
                    return new ByteArrayInputStream(jar.getInputStream(entry).readAllBytes());
                }
            }
        }
        throw new IOException("No PostgreSQL 15 for %s on %s in %s".formatted(system, hardware, jars));
    }

}
