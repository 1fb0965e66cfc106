package io.shardedid.spring.boot;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import io.shardedid.ShardedIds;
import io.shardedid.tools.ProofLength;
import io.shardedid.internal.lease.jdbc.LeaseLogin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/** The password or the user changes again and again, and no id fails. */
@Tag("proof")
@Tag("nightly")
class RotatingPasswordIT {

    private static final Duration LENGTH = ProofLength.of(Duration.ofSeconds(20), Duration.ofMinutes(5));

    private static final Duration EACH = ProofLength.of(Duration.ofSeconds(2), Duration.ofSeconds(20));

    private static final int CALLERS = 4;

    /** Who knows the password of now. */
    enum Way {

        SETTER {

            @Override
            ApplicationContextRunner application(ApplicationContextRunner runner, Current current) {
                HikariDataSource pool = new HikariDataSource();
                pool.setUsername("app");
                pool.setPassword(current.password());
                current.onChange = pool.getHikariConfigMXBean()::setPassword;
                return withPool(runner, pool, current);
            }

        },

        SUBCLASS {

            @Override
            ApplicationContextRunner application(ApplicationContextRunner runner, Current current) {
                return withPool(runner, new HikariDataSource() {

                    @Override
                    public Credentials getCredentials() {
                        return Credentials.of("app", current.password());
                    }

                }, current);
            }

        },

        /** Of docs/lease-table.md#passwords-that-change. */
        PROVIDER {

            @Override
            ApplicationContextRunner application(ApplicationContextRunner runner, Current current) {
                return runner.withUserConfiguration(VaultedDatabase.class);
            }

        },

        /** By the statements of docs/lease-table.md#passwords-that-change. */
        DYNAMIC_USER {

            @Override
            ApplicationContextRunner application(ApplicationContextRunner runner, Current current) {
                return PROVIDER.application(runner, current)
                    .withPropertyValues("shardedid.worker.lease.initialize-schema=never");
            }

            @Override
            String user() {
                return "app0";
            }

            @Override
            void begin(PasswordServer server) throws Exception {
                try (InputStream script = RotatingPasswordIT.class
                    .getResourceAsStream("/io/shardedid/lease-table-postgresql.sql")) {
                    server.run("CREATE ROLE shardedid", new String(script.readAllBytes(), StandardCharsets.UTF_8),
                            "GRANT SELECT, INSERT, UPDATE ON shardedid_worker TO shardedid");
                }
                create(server, "app0");
            }

            @Override
            void next(PasswordServer server, Current current, int number) throws Exception {
                create(server, "app" + number);
                current.change("app" + number, "pw" + number);
                server.run(page("revoke a user").replace("{{name}}", "app" + (number - 1)));
            }

            private void create(PasswordServer server, String name) throws Exception {
                server.run(page("create a user").replace("{{name}}", name)
                    .replace("{{password}}", name.replace("app", "pw"))
                    .replace("{{expiration}}", "infinity"));
            }

        },

        /** Of docs/lease-table.md#passwords-that-change, at the URL of the leases. */
        TOKEN {

            @Override
            ApplicationContextRunner application(ApplicationContextRunner runner, Current current) {
                return runner.withUserConfiguration(VaultedLease.class)
                    .withPropertyValues("shardedid.worker.lease.url=" + current.url);
            }

        };

        abstract ApplicationContextRunner application(ApplicationContextRunner runner, Current current);

        String user() {
            return "app";
        }

        void begin(PasswordServer server) throws Exception {
            server.run("CREATE ROLE app LOGIN PASSWORD 'pw0'", "GRANT ALL ON SCHEMA public TO app");
        }

        /** A vault knows the new one a little before or after the server does. */
        void next(PasswordServer server, Current current, int number) throws Exception {
            current.change("app", "pw" + number);
            server.rotate("app", "pw" + number);
        }

        private static ApplicationContextRunner withPool(ApplicationContextRunner runner, HikariDataSource pool,
                Current current) {
            pool.setJdbcUrl(current.url);
            return runner.withBean(DataSource.class, () -> pool);
        }

    }

    private static final class Current implements Vault {

        private final String url;

        private volatile LeaseLogin login;

        private Consumer<String> onChange = (password) -> {
        };

        Current(String url, String user) {
            this.url = url;
            this.login = new LeaseLogin(user, "pw0");
        }

        void change(String user, String password) {
            this.login = new LeaseLogin(user, password);
            this.onChange.accept(password);
        }

        @Override
        public String user() {
            return this.login.user();
        }

        @Override
        public String password() {
            return this.login.password();
        }

    }

    private static String page(String title) throws IOException {
        Matcher block = Pattern.compile("```sql\n-- PostgreSQL: " + Pattern.quote(title) + "\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("../docs/lease-table.md")));
        assertThat(block.find()).as(title).isTrue();
        return block.group(1);
    }

    @ParameterizedTest
    @EnumSource
    void noIdFailsAndNoTwoAreEqual(Way way) throws Exception {
        try (PasswordServer server = PasswordServer.start()) {
            way.begin(server);
            Current current = new Current(server.url(), way.user());
            ApplicationContextRunner runner = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(ShardedIdAutoConfiguration.class))
                .withBean(Vault.class, () -> current)
                .withPropertyValues("spring.datasource.url=" + current.url, "shardedid.worker.lease.window=10s",
                        "shardedid.worker.lease.initialize-schema=always");
            way.application(runner, current)
                .run((context) -> storm(context.getBean(ShardedIds.class), way, server, current));
        }
    }

    private static void storm(ShardedIds ids, Way way, PasswordServer server, Current current) throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
        AtomicBoolean over = new AtomicBoolean();
        try {
            List<Future<long[]>> made = new ArrayList<>();
            for (int caller = 0; caller < CALLERS; caller++) {
                int shard = caller % 2;
                made.add(callers.submit(() -> made(ids, shard, over)));
            }
            Instant end = Instant.now().plus(LENGTH);
            int rotations = 0;
            while (Instant.now().isBefore(end)) {
                TimeUnit.NANOSECONDS.sleep(EACH.toNanos());
                way.next(server, current, ++rotations);
            }
            over.set(true);
            long[] all = made.stream().flatMapToLong(RotatingPasswordIT::got).sorted().toArray();
            long equal = all.length - Arrays.stream(all).distinct().count();
            System.out.printf("rotating password: %s, rotations=%s, ids=%,d, equal=%,d%n", way, rotations, all.length,
                    equal);
            assertThat(equal).isZero();
            assertThat(rotations).isGreaterThanOrEqualTo((int) LENGTH.dividedBy(EACH) / 2);
        }
        finally {
            over.set(true);
            callers.shutdownNow();
        }
    }

    /** Many ids in memory would be the test's own load, so each caller pauses. */
    private static long[] made(ShardedIds ids, int shard, AtomicBoolean over) throws InterruptedException {
        LongStream.Builder made = LongStream.builder();
        while (!over.get()) {
            for (int i = 0; i < 10; i++) {
                made.add(ids.next(shard));
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
        return made.build().toArray();
    }

    private static LongStream got(Future<long[]> made) {
        try {
            return LongStream.of(made.get(60, TimeUnit.SECONDS));
        }
        catch (Exception ex) {
            throw new AssertionError("a call for an id failed", ex);
        }
    }

}
