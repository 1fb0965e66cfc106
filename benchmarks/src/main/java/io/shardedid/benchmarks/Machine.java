package io.shardedid.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where and on what was measured.
 */
final class Machine {

    private Machine() {
    }

    static String cpu() throws IOException {
        Path info = Path.of("/proc/cpuinfo");
        if (!Files.isReadable(info)) {
            return System.getProperty("os.arch");
        }
        return Files.readAllLines(info)
            .stream()
            .filter((line) -> line.startsWith("model name"))
            .map((line) -> line.substring(line.indexOf(':') + 1).strip())
            .findFirst()
            .orElse(System.getProperty("os.arch"));
    }

    static String jdk() {
        return System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version");
    }

    static String system() {
        return System.getProperty("os.name") + " " + System.getProperty("os.version");
    }

    static String commit() throws IOException {
        String commit = output("git", "rev-parse", "--short=12", "HEAD");
        return output("git", "status", "--porcelain", "-uno").isEmpty() ? commit : commit + " and changes";
    }

    /** Processes that wanted the CPUs in the last minute: more than none disturb. */
    static String load() throws IOException {
        Path load = Path.of("/proc/loadavg");
        return Files.isReadable(load) ? Files.readString(load).split(" ")[0] : "unknown";
    }

    private static String output(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes()).strip();
    }

}
