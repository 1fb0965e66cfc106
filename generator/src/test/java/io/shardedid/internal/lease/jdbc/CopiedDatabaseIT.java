package io.shardedid.internal.lease.jdbc;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;

import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateJvm;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.ShardedIdsBuilder;
import io.shardedid.internal.lease.IdSet;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import io.shardedid.tools.ProofLength;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One process writes into a database and its copy, another process into the copy alone.
 */
@Tag("proof")
class CopiedDatabaseIT {

    /** Few, so that two processes that shared a worker id would meet soon. */
    private static final int SHARDS = 4;

    private static final int IDS = 160_000;

    private static final int ARRAY = 64;

    /** A process of its own: makes ids when it is told to, and says which. */
    public static void main(String[] args) throws IOException {
        try (ShardedIdEngine ids = builder(args[0], OptionalInt.of(Integer.parseInt(args[1]))).open();
                DataOutputStream out = new DataOutputStream(System.out)) {
            out.writeInt(ids.stats().worker());
            out.flush();
            System.in.read();
            for (long id : make(ids)) {
                out.writeLong(id);
            }
        }
    }

    static IntStream runs() {
        return IntStream.rangeClosed(1, ProofLength.of(2, 10));
    }

    @ParameterizedTest
    @MethodSource("runs")
    void makesNoIdTwiceInTheDatabaseNorInItsCopy(int run) throws Exception {
        TestDatabase tenant1 = TestServer.POSTGRESQL.freshDatabase();
        try (ShardedIdEngine first = builder(tenant1.url(), OptionalInt.empty()).open()) {
            TestDatabase tenant2 = copyWhileLeased(tenant1);
            ProcessBuilder command = new ProcessBuilder(
                    with(SeparateJvm.command(CopiedDatabaseIT.class, ShardedIds.class, org.postgresql.Driver.class),
                            tenant2.url(), String.valueOf(first.stats().worker())))
                .redirectError(ProcessBuilder.Redirect.INHERIT);
            Process other = command.start();
            try (DataInputStream in = new DataInputStream(new BufferedInputStream(other.getInputStream()));
                    ShardedIdEngine second = openOnceLeased(tenant2.url(), in.readInt())) {
                other.getOutputStream().write('\n');
                other.getOutputStream().flush();
                long[] mine = make(second);
                long[] original = make(first);
                IdSet inCopy = new IdSet();
                IdSet inOriginal = new IdSet();
                int equal = 0;
                for (int i = 0; i < IDS; i++) {
                    equal += inCopy.add(mine[i]) ? 0 : 1;
                    equal += inCopy.add(in.readLong()) ? 0 : 1;
                    equal += inOriginal.add(original[i]) ? 0 : 1;
                }
                assertThat(equal).as("duplicate ids of %s in run %s", 3 * IDS, run).isZero();
            }
            finally {
                other.destroyForcibly();
            }
        }
    }

    private static List<String> with(List<String> command, String... arguments) {
        command.addAll(List.of(arguments));
        return command;
    }

    /** The other process has the worker id that this one has in the original. */
    private static ShardedIdEngine openOnceLeased(String url, int leased) {
        assertThat(leased).isNotNegative();
        return builder(url, OptionalInt.empty()).open();
    }

    /** A template must have no connections; the lease goes on meanwhile. */
    private static TestDatabase copyWhileLeased(TestDatabase original) throws SQLException {
        String name = original.url().replaceFirst(".*/", "");
        TestDatabase administrator = new TestDatabase(original.url().replaceFirst("[^/]*$", "postgres"),
                original.user(), original.password());
        administrator.execute("ALTER DATABASE %s ALLOW_CONNECTIONS false".formatted(name),
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '%s'".formatted(name),
                "CREATE DATABASE %sb TEMPLATE %s".formatted(name, name),
                "ALTER DATABASE %s ALLOW_CONNECTIONS true".formatted(name),
                "ALTER DATABASE %sb ALLOW_CONNECTIONS true".formatted(name));
        TestDatabase copy = new TestDatabase(original.url() + "b", original.user(), original.password());
        try (var connection = DriverManager.getConnection(copy.url(), copy.user(), copy.password())) {
            assertThat(connection.isValid(5)).isTrue();
        }
        assertThat(copy.query("SELECT lease_until FROM shardedid_worker WHERE worker_id >= 0")).isNotEqualTo("0");
        return copy;
    }

    private static long[] make(ShardedIdEngine ids) {
        long[] made = new long[IDS];
        long[] some = new long[ARRAY];
        for (int i = 0; i < IDS; i += ARRAY) {
            ids.next(i / ARRAY % SHARDS, some);
            System.arraycopy(some, 0, made, i, ARRAY);
        }
        return made;
    }

    private static ShardedIdsBuilder builder(String url, OptionalInt worker) {
        LeaseSettings.Builder settings = LeaseSettings.builder()
            .window(Duration.ofSeconds(3))
            .startupTimeout(Duration.ofSeconds(40));
        worker.ifPresent(settings::workerId);
        return ShardedIds.builder()
            .shards(SHARDS)
            .maxWait(Duration.ofSeconds(30))
            .workers(JdbcLeases.leased(settings.build(), LeaseConnections.url(url, "postgres", ""), "shardedid_worker",
                    SchemaInitialization.ALWAYS, List.of()));
    }

}
