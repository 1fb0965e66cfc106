package io.shardedid.sample.postgres;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Starts this application a second time beside the first one, on the same database, so
 * that two processes hold two worker ids. It ends with the first: when that closes, and
 * also when that is killed, by the end of its standard input.
 */
@Component
@Profile("demo-two")
class SecondInstance implements DisposableBean {

    private static final Logger LOG = LoggerFactory.getLogger(SecondInstance.class);

    private final LocalPostgres server;

    private final int port;

    private @Nullable Process process;

    SecondInstance(LocalPostgres server, @Value("${sample.second-port:8081}") int port) {
        this.server = server;
        this.port = port;
    }

    @EventListener(ApplicationReadyEvent.class)
    void start() throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        this.process = new ProcessBuilder(java, "-cp", classPath(), "-XX:TieredStopAtLevel=1",
                "io.shardedid.sample.SampleApplication", "--spring.datasource.url=" + this.server.getJdbcUrl(),
                "--spring.datasource.username=" + this.server.getUsername(),
                "--spring.datasource.password=" + this.server.getPassword(), "--server.port=" + this.port,
                "--sample.demo-data=false", "--spring.profiles.active=second", "--spring.main.banner-mode=off")
            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
        LOG.info("A second instance starts on http://localhost:{}", this.port);
    }

    /** Absolute: a relative entry means the same to the second instance, wherever. */
    private static String classPath() {
        String[] entries = System.getProperty("java.class.path").split(File.pathSeparator);
        for (int i = 0; i < entries.length; i++) {
            entries[i] = entries[i].endsWith("*") ? entries[i] : new File(entries[i]).getAbsolutePath();
        }
        return String.join(File.pathSeparator, entries);
    }

    @Override
    public void destroy() throws InterruptedException {
        Process second = this.process;
        if (second != null) {
            second.destroy();
            if (!second.waitFor(20, TimeUnit.SECONDS)) {
                second.destroyForcibly();
            }
        }
    }

}
