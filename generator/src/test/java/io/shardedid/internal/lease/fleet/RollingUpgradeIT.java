package io.shardedid.internal.lease.fleet;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import io.shardedid.IdLayout;
import io.shardedid.SeparateJvm;
import io.shardedid.ShardedIds;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes of an earlier version and of this one take each other's place on one
 * PostgreSQL. The earlier version is compiled from the history of the repository, which
 * must therefore be there.
 */
@Tag("upgrade")
class RollingUpgradeIT {

    /** The last commit before the keeper, its rounds and the settings were divided. */
    private static final String BEFORE = "c5833474";

    private static final int SLOTS = 4;

    /**
     * Forward, two steps back, forward again: which of ten restarts start this version.
     */
    private static final boolean[] THIS_VERSION = { true, true, true, true, false, false, true, true, true, true };

    private static final long PAUSE_NANOS = 2_000_000_000;

    private final List<Member> all = new ArrayList<>();

    private String url;

    @TempDir
    private Path folder;

    @Test
    void noIdIsMadeTwiceWhileTwoVersionsTakeEachOthersPlace() throws Exception {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        database.execute("CREATE TABLE fleet_row (id BIGINT PRIMARY KEY, account BIGINT NOT NULL)");
        this.url = database.url();
        Path before = compiledBefore();
        Path after = location(ShardedIds.class);
        Member[] slots = new Member[SLOTS];
        try {
            for (int slot = 0; slot < SLOTS; slot++) {
                slots[slot] = start(before);
            }
            for (int restart = 0; restart < THIS_VERSION.length; restart++) {
                int slot = restart % SLOTS;
                LockSupport.parkNanos(PAUSE_NANOS);
                Signals.send((restart % 3 == 2) ? "KILL" : "TERM", slots[slot].process().pid());
                slots[slot].process().waitFor();
                slots[slot] = start(THIS_VERSION[restart] ? after : before);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        finally {
            for (Member member : this.all) {
                member.process().destroy();
                member.process().waitFor();
            }
        }

        long[] ids = ids(null);
        long duplicates = ids.length - Arrays.stream(ids).distinct().count();
        Set<Integer> shared = workers(ids(before));
        shared.retainAll(workers(ids(after)));
        System.out.printf(
                "rolling upgrade: restarts=%s, processes=%s, ids before=%,d, ids after=%,d, duplicates=%s, worker ids "
                        + "that both versions had=%s, rows=%s%n",
                THIS_VERSION.length, this.all.size(), ids(before).length, ids(after).length, duplicates, shared,
                database.query("SELECT count(*) FROM fleet_row"));
        assertThat(this.all).hasSize(SLOTS + THIS_VERSION.length)
            .allSatisfy((member) -> assertThat(member.printed()).doesNotContain("FAILED"));
        assertThat(shared).isNotEmpty();
        assertThat(duplicates).isZero();
    }

    /**
     * One process.
     *
     * @param process the process
     * @param version where the classes of its version are
     * @param journal the ids that it was given
     * @param output what it printed
     */
    private record Member(Process process, Path version, Path journal, Path output) {

        String printed() {
            try {
                return Files.readString(this.output);
            }
            catch (IOException ex) {
                throw new java.io.UncheckedIOException(ex);
            }
        }

    }

    private Member start(Path version) throws IOException {
        Path journal = this.folder.resolve("journal-" + this.all.size());
        Path output = this.folder.resolve("output-" + this.all.size());
        List<String> command = SeparateJvm.command(UpgradeWorker.class);
        command.set(command.indexOf("-Xmx64m"), "-Xmx128m");
        command.set(command.indexOf("-cp") + 1, classPath(version));
        command.addAll(List.of(this.url, journal.toString()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        Member member = new Member(process, version, journal, output);
        this.all.add(member);
        while (!member.printed().contains("READY")) {
            assertThat(process.isAlive()).as(member::printed).isTrue();
            LockSupport.parkNanos(20_000_000);
        }
        return member;
    }

    /** The class path of this JVM with another version of the generator. */
    private static String classPath(Path version) {
        String separator = System.getProperty("path.separator");
        return Stream
            .concat(Stream.of(version),
                    Stream.of(System.getProperty("java.class.path").split(separator))
                        .map(Path::of)
                        .filter((entry) -> !entry.equals(location(ShardedIds.class))))
            .map(Path::toString)
            .collect(Collectors.joining(separator));
    }

    private static Path location(Class<?> type) {
        return Path.of(URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString()));
    }

    private Path compiledBefore() throws Exception {
        Path archive = this.folder.resolve("before.tar");
        Path root = Path.of(run(Path.of(""), "git", "rev-parse", "--show-toplevel").strip());
        run(root, "git", "archive", "--output=" + archive, BEFORE, "generator/src/main");
        run(this.folder, "tar", "-xf", archive.toString());
        Path sources = this.folder.resolve("generator/src/main/java");
        Path classes = this.folder.resolve("generator/src/main/resources");
        // with the names of Maven's properties in place of their values, as nobody reads
        // the pages
        run(this.folder, "cp", "-r", "generator/src/main/filtered/.", classes.toString());
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
                Stream<Path> found = Files.walk(sources)) {
            List<Path> java = found.filter((file) -> file.toString().endsWith(".java")).toList();
            boolean compiled = compiler
                .getTask(said, files, null, List.of("-proc:none", "-nowarn", "-parameters", "-d", classes.toString(),
                        "-cp", classPath(classes)), null, files.getJavaFileObjectsFromPaths(java))
                .call();
            assertThat(compiled).as(said::toString).isTrue();
        }
        return classes;
    }

    private static String run(Path directory, String... command) throws Exception {
        Process process = new ProcessBuilder(command).directory(directory.toAbsolutePath().toFile())
            .redirectErrorStream(true)
            .start();
        String printed = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as("%s: %s", List.of(command), printed).isZero();
        return printed;
    }

    /** Returns what processes of a version were given, or all of them. */
    private long[] ids(Path version) {
        LongStream.Builder ids = LongStream.builder();
        this.all.stream()
            .filter((member) -> version == null || member.version().equals(version))
            .filter((member) -> Files.exists(member.journal()))
            .forEach((member) -> IdJournal.read(member.journal(), (entry) -> LongStream.of(entry.ids()).forEach(ids)));
        return ids.build().sorted().toArray();
    }

    private static Set<Integer> workers(long[] ids) {
        IdLayout layout = IdLayout.standard();
        return LongStream.of(ids).mapToObj(layout::workerOf).collect(Collectors.toCollection(TreeSet::new));
    }

}
