package io.shardedid.zookeeper;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.shardedid.ShardedIds;
import io.shardedid.TimeSource;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;
import io.shardedid.tools.ProofLength;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** Two processes of one application, of which one has the jar of another store. */
@Tag("proof")
@Tag("nightly")
class AddedJarIT {

    private static final String SERVICE = "META-INF/services/io.shardedid.internal.lease.LeaseStoreProvider";

    private static final int RUNS = ProofLength.of(1, 10);

    @TempDir
    private Path folder;

    @Test
    void theJarDecidesNothingAndNoIdIsMadeTwice() throws Exception {
        try (EmbeddedPostgres database = EmbeddedPostgres.builder().setPGStartupWait(Duration.ofSeconds(90)).start();
                TestingServer zooKeeper = new TestingServer()) {
            for (int run = 1; run <= RUNS; run++) {
                assertThatTheSecondStartFails("run" + run, database, zooKeeper);
            }
        }
    }

    private void assertThatTheSecondStartFails(String namespace, EmbeddedPostgres database, TestingServer zooKeeper)
            throws Exception {
        List<String> settings = List.of("--spring.datasource.url=" + database.getJdbcUrl("postgres", "postgres"),
                "--shardedid.worker.lease.namespace=" + namespace);
        Member without = start(namespace + "-without", withoutTheJar(), "",
                with(settings, "--shardedid.worker.lease.initialize-schema=always"));
        Member with = null;
        Member named = null;
        try {
            without.awaitIds();
            String servers = zooKeeper.getConnectString();
            with = start(namespace + "-with", System.getProperty("java.class.path"), servers, settings);
            named = start(namespace + "-named", System.getProperty("java.class.path"), servers,
                    with(settings, "--shardedid.worker.lease.store=zookeeper"));
            with.process().waitFor(20, TimeUnit.SECONDS);
            named.process().waitFor(20, TimeUnit.SECONDS);
        }
        finally {
            for (Member member : new Member[] { without, with, named }) {
                if (member != null) {
                    member.process().destroyForcibly().waitFor(10, TimeUnit.SECONDS);
                }
            }
        }
        Set<Long> ids = new HashSet<>();
        List<Long> twice = Stream.of(without, with, named)
            .flatMap((member) -> member.ids().stream())
            .filter((id) -> !ids.add(id))
            .toList();
        System.out.printf("%,d ids, %,d equal%n", ids.size() + twice.size(), twice.size());
        assertThat(twice).as("duplicate ids").isEmpty();
        assertThat(ids).hasSizeGreaterThan(1_000);
        assertThat(with.log()).contains("'shardedid.worker.lease.store' must be set: ",
                "add the line 'shardedid.worker.lease.store=zookeeper' or 'shardedid.worker.lease.store=database'");
        assertThat(named.log()).contains("shows a lease that has not run out: table=shardedid_worker, connection=jdbc:",
                "worker id=0, owner=");
    }

    private static List<String> with(List<String> settings, String another) {
        List<String> all = new ArrayList<>(settings);
        all.add(another);
        return all;
    }

    private static String withoutTheJar() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter((entry) -> !hasStore(Path.of(entry)))
            .collect(Collectors.joining(File.pathSeparator));
    }

    private static boolean hasStore(Path entry) {
        if (!Files.isRegularFile(entry)) {
            return Files.exists(entry.resolve(SERVICE));
        }
        try (JarFile jar = new JarFile(entry.toFile())) {
            return jar.getEntry(SERVICE) != null;
        }
        catch (IOException ex) {
            return false;
        }
    }

    private Member start(String name, String classPath, String servers, List<String> settings) throws IOException {
        Path ids = this.folder.resolve(name);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m",
                "-XX:TieredStopAtLevel=1", "-cp", classPath, Application.class.getName(), ids.toString(), servers));
        command.addAll(settings);
        Path log = this.folder.resolve(name + ".log");
        return new Member(new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start(),
                ids, log);
    }

    private record Member(Process process, Path file, Path logFile) {

        void awaitIds() throws Exception {
            long end = TimeSource.system().nanoTime() + Duration.ofMinutes(1).toNanos();
            while (!Files.exists(this.file) || Files.size(this.file) < 8_000) {
                assertThat(TimeSource.system().nanoTime()).as(log()).isLessThan(end);
                assertThat(this.process.isAlive()).as(log()).isTrue();
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }

        List<Long> ids() {
            List<Long> ids = new ArrayList<>();
            if (!Files.exists(this.file)) {
                return ids;
            }
            try (DataInputStream in = new DataInputStream(
                    new java.io.BufferedInputStream(Files.newInputStream(this.file)))) {
                while (true) {
                    ids.add(in.readLong());
                }
            }
            catch (EOFException ex) {
                return ids;
            }
            catch (IOException ex) {
                throw new AssertionError(ex);
            }
        }

        String log() {
            try {
                return Files.exists(this.logFile) ? Files.readString(this.logFile).replaceAll("\\s+", " ") : "";
            }
            catch (IOException ex) {
                throw new AssertionError(ex);
            }
        }

    }

    /** The application, which makes ids until it is killed. */
    static final class Application {

        private Application() {
        }

        public static void main(String[] arguments) throws Exception {
            Thread parent = new Thread(Application::endWithTheParent);
            parent.setDaemon(true);
            parent.start();
            SpringApplication application = new SpringApplication(Beans.class);
            application.setWebApplicationType(WebApplicationType.NONE);
            if (!arguments[1].isEmpty()) {
                application.addInitializers((context) -> Client.register(context, arguments[1]));
            }
            List<String> settings = List.of(arguments).subList(2, arguments.length);
            ConfigurableApplicationContext context = application.run(settings.toArray(String[]::new));
            ShardedIds ids = context.getBean(ShardedIds.class);
            try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(Path.of(arguments[0])))) {
                while (true) {
                    for (int shard = 0; shard < 64; shard++) {
                        out.writeLong(ids.next(shard));
                    }
                    TimeUnit.MILLISECONDS.sleep(2);
                }
            }
        }

        private static void endWithTheParent() {
            try {
                while (System.in.read() >= 0) {
                    // nobody says anything
                }
            }
            catch (IOException ex) {
                // then it is gone
            }
            Runtime.getRuntime().halt(0);
        }

    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({ DataSourceAutoConfiguration.class, ShardedIdAutoConfiguration.class })
    static class Beans {

    }

    /** Loaded only where the application has a client of ZooKeeper. */
    private static final class Client {

        static void register(ConfigurableApplicationContext context, String servers) {
            ((GenericApplicationContext) context).registerBean(CuratorFramework.class, () -> {
                CuratorFramework client = CuratorFrameworkFactory.newClient(servers, new RetryOneTime(100));
                client.start();
                return client;
            });
        }

    }

}
