package io.shardedid.internal.lease;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.shardedid.SeparateJvm;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.hibernate.ShardedIdService;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import io.shardedid.tools.ProofLength;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two processes whose rows go to one database, with a lease table that each of them has
 * for itself, and with one that they share.
 */
@Tag("proof")
@Tag("nightly")
class PrivateLeaseIT {

    private static final List<String> LEASES = List.of("jdbc:h2:mem:lease", "jdbc:hsqldb:mem:lease",
            "jdbc:p6spy:h2:mem:lease");

    /** Few, so that two processes that shared a worker id would meet soon. */
    private static final int SHARDS = 4;

    private static final int IDS = 80_000;

    private static final int ARRAY = 64;

    private static final String READY = "READY";

    private static final String REFUSED = "REFUSED ";

    /**
     * A process of its own: says whether its persistence unit could be opened, then makes
     * ids when it is told to, and says which. Arguments: the URL of the database, and the
     * URL of the lease table or an empty text.
     */
    public static void main(String[] args) throws IOException {
        SeparateJvm.endWithParent();
        try (SessionFactory factory = start(args[0], args[1])) {
            ShardedIdEngine ids = ShardedIdService.idsOf(factory);
            System.out.println(READY);
            System.in.read();
            Note note = new Note();
            factory.inTransaction((session) -> session.persist(note));
            long[] made = new long[IDS];
            long[] some = new long[ARRAY];
            for (int i = 0; i < IDS; i += ARRAY) {
                ids.next(i / ARRAY % SHARDS, some);
                System.arraycopy(some, 0, made, i, ARRAY);
            }
            PrintWriter out = new PrintWriter(
                    new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8)));
            out.println(note.id);
            LongStream.of(made).forEach(out::println);
            out.flush();
        }
        catch (ShardedIdConfigurationException ex) {
            System.out.println(REFUSED + ex.getMessage());
        }
    }

    private static SessionFactory start(String url, String lease) {
        Configuration configuration = new Configuration().addAnnotatedClass(Note.class);
        Map<String, String> settings = Map.of("jakarta.persistence.jdbc.url", url, "jakarta.persistence.jdbc.user",
                "postgres", "jakarta.persistence.jdbc.password", "", "hibernate.hbm2ddl.auto", "update",
                "shardedid.shards", String.valueOf(SHARDS), "shardedid.clock.max-wait", "30s",
                "shardedid.worker.lease.initialize-schema", "always");
        settings.forEach(configuration::setProperty);
        if (!lease.isEmpty()) {
            configuration.setProperty("shardedid.worker.lease.url", lease);
        }
        return configuration.buildSessionFactory();
    }

    static IntStream runs() {
        return IntStream.rangeClosed(1, ProofLength.of(1, 10));
    }

    static Stream<Arguments> runsOfLeases() {
        return runs().boxed().flatMap((run) -> LEASES.stream().map((lease) -> Arguments.of(run, lease)));
    }

    @ParameterizedTest
    @MethodSource("runsOfLeases")
    void processesWithPrivateLeaseTablesDoNotStart(int run, String lease) throws Exception {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();

        assertThat(run(database, lease)).as("answers of two processes in run %s", run)
            .allSatisfy((answer) -> assertThat(answer).startsWith(REFUSED)
                .contains("connection=" + lease, "database=" + database.url(), "'shardedid.worker.lease.url'"))
            .hasSize(2);
    }

    @ParameterizedTest
    @MethodSource("runs")
    void processesThatShareALeaseTableMakeNoIdTwice(int run) throws Exception {
        assertThat(run(TestServer.POSTGRESQL.freshDatabase(), "")).as("answers of two processes in run %s", run)
            .containsOnly(READY)
            .hasSize(2);
    }

    /** The first lines of two processes, which make no duplicate ids. */
    private static List<String> run(TestDatabase database, String lease) throws Exception {
        List<Process> processes = new ArrayList<>();
        try {
            processes.add(start(database, lease));
            processes.add(start(database, lease));
            List<BufferedReader> outputs = processes.stream()
                .map((process) -> process.inputReader(StandardCharsets.UTF_8))
                .toList();
            List<String> first = new ArrayList<>();
            for (BufferedReader output : outputs) {
                first.add(output.readLine());
            }
            for (int i = 0; i < processes.size(); i++) {
                if (READY.equals(first.get(i))) {
                    processes.get(i).outputWriter().append('\n').flush();
                }
            }
            compare(first, outputs);
            return first;
        }
        finally {
            processes.forEach(Process::destroyForcibly);
        }
    }

    private static void compare(List<String> first, List<BufferedReader> outputs) throws IOException {
        IdSet all = new IdSet();
        int made = 0;
        int equal = 0;
        for (int i = 0; i < outputs.size(); i++) {
            int before = made;
            for (String id = outputs.get(i).readLine(); id != null; id = outputs.get(i).readLine()) {
                made++;
                equal += all.add(Long.parseLong(id)) ? 0 : 1;
            }
            assertThat(made - before).as("ids of process %s", i).isEqualTo(READY.equals(first.get(i)) ? IDS + 1 : 0);
        }
        System.out.printf("private lease: %s, ids=%,d, equal=%,d%n", first, made, equal);
        assertThat(equal).as("duplicate ids of %s", made).isZero();
    }

    private static Process start(TestDatabase database, String lease) throws IOException {
        List<String> command = SeparateJvm.command(PrivateLeaseIT.class);
        // Hibernate needs more jars than anybody could name, and more memory
        command.set(command.indexOf("-cp") + 1, System.getProperty("java.class.path"));
        command.add(command.indexOf("-cp"), "-Xmx192m");
        command.add(database.url());
        command.add(lease);
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    @Entity(name = "Note")
    static class Note {

        @Id
        @ShardedId
        Long id;

    }

}
