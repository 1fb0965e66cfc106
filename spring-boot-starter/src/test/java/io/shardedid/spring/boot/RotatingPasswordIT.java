package io.shardedid.spring.boot;

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
import java.util.stream.LongStream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import io.shardedid.ShardedIds;
import io.shardedid.tools.ProofLength;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/** The password of the pool's user changes again and again, and no id fails. */
@Tag("proof")
@Tag("nightly")
class RotatingPasswordIT {

    private static final Duration LENGTH = ProofLength.of(Duration.ofSeconds(20), Duration.ofMinutes(5));

    private static final Duration EACH = ProofLength.of(Duration.ofSeconds(2), Duration.ofSeconds(20));

    private static final int CALLERS = 4;

    /** How the pool learns of a password. */
    enum Way {

        SETTER {

            @Override
            HikariDataSource pool(Current current) {
                HikariDataSource pool = new HikariDataSource();
                pool.setUsername("app");
                pool.setPassword(current.password);
                current.onChange = pool.getHikariConfigMXBean()::setPassword;
                return pool;
            }

        },

        PROVIDER {

            @Override
            HikariDataSource pool(Current current) {
                HikariDataSource pool = new HikariDataSource();
                pool.setCredentialsProvider(() -> Credentials.of("app", current.password));
                return pool;
            }

        },

        SUBCLASS {

            @Override
            HikariDataSource pool(Current current) {
                return new HikariDataSource() {

                    @Override
                    public Credentials getCredentials() {
                        return Credentials.of("app", current.password);
                    }

                };
            }

        };

        abstract HikariDataSource pool(Current current);

    }

    private static final class Current {

        volatile String password = "pw0";

        volatile Consumer<String> onChange = (password) -> {
        };

    }

    @ParameterizedTest
    @EnumSource
    void noIdFailsAndNoTwoAreEqual(Way way) throws Exception {
        Current current = new Current();
        try (PasswordServer server = PasswordServer.start()) {
            server.run("CREATE ROLE app LOGIN PASSWORD 'pw0'", "GRANT ALL ON SCHEMA public TO app");
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ShardedIdAutoConfiguration.class))
                .withBean(DataSource.class, () -> {
                    HikariDataSource pool = way.pool(current);
                    pool.setJdbcUrl(server.url());
                    return pool;
                })
                .withPropertyValues("shardedid.worker.lease.initialize-schema=always",
                        "shardedid.worker.lease.window=10s")
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
                String next = "pw" + ++rotations;
                // a vault knows the new one a little before or after the server does
                current.password = next;
                current.onChange.accept(next);
                server.rotate("app", next);
            }
            over.set(true);
            long[] all = made.stream().flatMapToLong(RotatingPasswordIT::got).sorted().toArray();
            long equal = all.length - Arrays.stream(all).distinct().count();
            System.out.printf("rotating password: %s, rotations=%d, ids=%,d, equal=%,d%n", way, rotations, all.length,
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
