import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Puts faults into the code, one after another, and runs the tests that are to find
 * each. A fault that no test finds ends the program with 1.
 *
 * <p>
 * It runs without being compiled: {@code java integration-tests/faults/Faults.java [NAME...]}, in the
 * root of a checkout without changes. It first runs the tests without any fault, because
 * a test that fails anyway finds nothing. It puts each file back, and writes a table to
 * the standard output. {@code faults.txt} lists the faults. A fault whose place is no
 * longer in the code is stale: the table says so, and the program goes on. Modules that
 * others need are compiled with them, so that nothing has to be installed.
 */
public final class Faults {

    private static final Path LIST = Path.of("integration-tests/faults/faults.txt");

    private static final Pattern FAULT = Pattern
        .compile("(?ms)^== (?<name>\\S+) (?<file>\\S+) (?:(?<module>[^\\s:]+):)?(?<tests>\\S+)\\n(?<what>[^\\n]*)"
                + "(?<changes>(?:\\n<<<(?: \\S+)?\\n.*?\\n>>>\\n.*?)+)\\n===$");

    private static final Pattern CHANGE = Pattern
        .compile("(?s)\\n<<<(?: (?<file>\\S+))?\\n(?<code>.*?)\\n>>>\\n(?<fault>.*?)(?=\\n<<<|\\z)");

    /** The line in which Maven counts the tests of a run with a failure or an error. */
    private static final String RED = "[ERROR] Tests run: ";

    private record Change(Path file, String code, String fault) {
    }

    private record Tests(String modules, String names) {
    }

    private record Fault(String name, Tests tests, String what, List<Change> changes) {
    }

    public static void main(String[] names) throws Exception {
        if (!output(List.of("git", "status", "--porcelain", "--untracked-files=no")).text().isEmpty()) {
            throw new IllegalStateException("The checkout must be without changes; commit or stash them");
        }
        List<Fault> faults = read().stream()
            .filter((fault) -> names.length == 0 || List.of(names).contains(fault.name()))
            .toList();
        Set<Tests> green = new HashSet<>();
        List<String> missed = new ArrayList<>();
        for (Fault fault : faults) {
            if (isStale(fault)) {
                report(fault, "stale");
                continue;
            }
            if (green.add(fault.tests()) && isRed(fault)) {
                throw new IllegalStateException("The tests must be green without a fault: tests=" + fault.tests());
            }
            boolean found = isFound(fault);
            report(fault, found ? "found" : "MISSED");
            if (!found) {
                missed.add(fault.name());
            }
        }
        if (!missed.isEmpty()) {
            System.err.println("Faults that no test finds: " + String.join(", ", missed));
            System.exit(1);
        }
    }

    private static void report(Fault fault, String result) {
        System.out.printf("| %s | %s | %s | %s | %s |%n", fault.name(),
                fault.changes().get(0).file().getFileName(), fault.what(), fault.tests().names(), result);
    }

    /** Its code is not in its file exactly once. */
    private static boolean isStale(Fault fault) throws IOException {
        for (Change change : fault.changes()) {
            String code = Files.exists(change.file()) ? Files.readString(change.file()) : "";
            int at = code.indexOf(change.code());
            if (at < 0 || code.indexOf(change.code(), at + 1) >= 0) {
                return true;
            }
        }
        return false;
    }

    private static List<Fault> read() throws IOException {
        List<Fault> faults = new ArrayList<>();
        Matcher matcher = FAULT.matcher(Files.readString(LIST));
        while (matcher.find()) {
            Path file = Path.of(matcher.group("file"));
            Set<String> modules = new LinkedHashSet<>();
            List<Change> changes = new ArrayList<>();
            Matcher change = CHANGE.matcher(matcher.group("changes"));
            while (change.find()) {
                Path changed = (change.group("file") != null) ? Path.of(change.group("file")) : file;
                modules.add(module(changed));
                changes.add(new Change(changed, change.group("code"), change.group("fault")));
            }
            if (matcher.group("module") != null) {
                modules.add(matcher.group("module"));
            }
            faults.add(new Fault(matcher.group("name"), new Tests(String.join(",", modules), matcher.group("tests")),
                    matcher.group("what"), changes));
        }
        return faults;
    }

    private static String module(Path file) {
        return file.toString().substring(0, file.toString().indexOf("/src/"));
    }

    private static boolean isFound(Fault fault) throws IOException, InterruptedException {
        Map<Path, String> before = new HashMap<>();
        Map<Path, String> after = new LinkedHashMap<>();
        for (Change change : fault.changes()) {
            String code = after.containsKey(change.file()) ? after.get(change.file())
                    : Files.readString(change.file());
            before.putIfAbsent(change.file(), code);
            after.put(change.file(), code.replace(change.code(), change.fault()));
        }
        Thread undo = new Thread(() -> before.forEach(Faults::write));
        Runtime.getRuntime().addShutdownHook(undo);
        try {
            after.forEach(Faults::write);
            return isRed(fault);
        }
        finally {
            before.forEach(Faults::write);
            Runtime.getRuntime().removeShutdownHook(undo);
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /**
     * Tests that do not compile or do not run find nothing: the fault or its line is wrong.
     * Only the file of a fault is compiled, and the first red test ends the run.
     */
    private static boolean isRed(Fault fault) throws IOException, InterruptedException {
        boolean servers = fault.tests().names().endsWith("IT");
        List<String> command = new ArrayList<>(List.of("mvn", "-B", "-ntp", "-o", "-Dspring-javaformat.skip",
                "-Dmaven.javadoc.skip", "-Dmaven.compiler.useIncrementalCompilation=false",
                "-Dsurefire.skipAfterFailureCount=1", "-Dfailsafe.skipAfterFailureCount=1",
                "-Dsurefire.failIfNoSpecifiedTests=false", "-pl", fault.tests().modules(),
                "-am", servers ? "verify" : "test", (servers ? "-Dit.test=" : "-Dtest=") + fault.tests().names()));
        if (servers) {
            // with the proofs of a class
            command.addAll(List.of("-Dexcluded.tests=none", "-Dtest.timeout=20 m"));
        }
        if (fault.tests().modules().contains("integration-tests/")) {
            command.add("-Pproof");
        }
        deleteSummaries();
        Output output = output(command);
        if (output.status() == 0) {
            return false;
        }
        if (!output.text().contains(RED)) {
            throw new IllegalStateException("The tests could not run: fault=%s%n%s".formatted(fault.name(),
                    output.text()));
        }
        return true;
    }

    /** A module without a test of that name would fail by the summary of the run before. */
    private static void deleteSummaries() throws IOException {
        try (Stream<Path> files = Files.find(Path.of(""), 6, (file, attributes) -> file.endsWith("failsafe-summary.xml"))) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
    }

    private record Output(int status, String text) {
    }

    private static Output output(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes());
        return new Output(process.waitFor(), text);
    }

}
