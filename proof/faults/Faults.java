import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Puts faults into the code, one after another, and runs the tests that are to find
 * each. A fault that no test finds is told, and ends the program with 1.
 *
 * <p>
 * It runs without being compiled: {@code java proof/faults/Faults.java [NAME...]}, in the
 * root of a checkout without changes. It changes one file at a time, puts it back, and
 * writes a table to the standard output. {@code faults.txt} lists the faults. Modules
 * that others need are compiled with them, so that nothing has to be installed.
 */
public final class Faults {

    private static final Path LIST = Path.of("proof/faults/faults.txt");

    private static final Pattern FAULT = Pattern
        .compile("(?ms)^== (?<name>\\S+) (?<file>\\S+) (?:(?<module>[^\\s:]+):)?(?<tests>\\S+)\\n(?<what>.*?)\\n<<<\\n(?<code>.*?)\\n>>>\\n(?<fault>.*?)\\n===$");

    /** The modules are that of the file, and that of the tests if it is another one. */
    private record Fault(String name, Path file, String modules, String tests, String what, String code, String fault) {
    }

    public static void main(String[] names) throws Exception {
        List<String> missed = new ArrayList<>();
        for (Fault fault : read()) {
            if (names.length == 0 || List.of(names).contains(fault.name())) {
                boolean found = isFound(fault);
                System.out.printf("| %s | %s | %s | %s | %s |%n", fault.name(), fault.file().getFileName(),
                        fault.what(), fault.tests(), found ? "found" : "MISSED");
                if (!found) {
                    missed.add(fault.name());
                }
            }
        }
        if (!missed.isEmpty()) {
            System.err.println("Faults that no test finds: " + String.join(", ", missed));
            System.exit(1);
        }
    }

    private static List<Fault> read() throws IOException {
        List<Fault> faults = new ArrayList<>();
        Matcher matcher = FAULT.matcher(Files.readString(LIST));
        while (matcher.find()) {
            String file = matcher.group("file");
            String module = file.substring(0, file.indexOf("/src/"));
            String ofTests = matcher.group("module");
            faults.add(new Fault(matcher.group("name"), Path.of(file),
                    (ofTests != null) ? module + "," + ofTests : module, matcher.group("tests"), matcher.group("what"),
                    matcher.group("code"), matcher.group("fault")));
        }
        return faults;
    }

    private static boolean isFound(Fault fault) throws IOException, InterruptedException {
        String before = Files.readString(fault.file());
        int at = before.indexOf(fault.code());
        if (at < 0 || before.indexOf(fault.code(), at + 1) >= 0) {
            throw new IllegalStateException("The code of a fault must be in its file exactly once: fault=%s, file=%s"
                .formatted(fault.name(), fault.file()));
        }
        Thread undo = new Thread(() -> write(fault.file(), before));
        Runtime.getRuntime().addShutdownHook(undo);
        try {
            write(fault.file(), before.replace(fault.code(), fault.fault()));
            return !isGreen(fault);
        }
        finally {
            write(fault.file(), before);
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
     * Tests that do not compile find nothing: the fault is wrong. Proofs run with the other
     * tests of a class that needs servers.
     */
    private static boolean isGreen(Fault fault) throws IOException, InterruptedException {
        run(fault, "test-compile", "-DskipTests");
        List<String> command = fault.tests().endsWith("IT")
                ? command(fault, "verify", "-Dit.test=" + fault.tests(), "-Dexcluded.tests=upgrade",
                        "-Dtest.timeout=20 m")
                : command(fault, "test", "-Dtest=" + fault.tests());
        return new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor() == 0;
    }

    private static void run(Fault fault, String... arguments) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command(fault, arguments)).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        if (process.waitFor() != 0) {
            throw new IllegalStateException(
                    "The code with a fault must compile: fault=%s%n%s".formatted(fault.name(), output));
        }
    }

    private static List<String> command(Fault fault, String... arguments) {
        List<String> command = new ArrayList<>(List.of("mvn", "-B", "-ntp", "-q", "-o", "-Dspring-javaformat.skip",
                "-Dmaven.javadoc.skip", "-Dsurefire.failIfNoSpecifiedTests=false", "-pl", fault.modules(), "-am"));
        command.addAll(List.of(arguments));
        return command;
    }

}
