package io.shardedid;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A JVM of its own, small and soon up.
 */
public final class SeparateJvm {

    private static final long LONGEST_LIFE_MINUTES = 60;

    private SeparateJvm() {
    }

    /**
     * Ends this JVM when the one that started it has ended, however it ended, and after
     * an hour. The main method of a separate JVM calls this first.
     */
    public static void endWithParent() {
        ProcessHandle.current()
            .parent()
            .orElseThrow()
            .onExit()
            .orTimeout(LONGEST_LIFE_MINUTES, TimeUnit.MINUTES)
            .whenComplete((parent, failure) -> Runtime.getRuntime().halt(1));
    }

    /**
     * Returns the command that runs a class.
     * @param main its main method is run
     * @param needed of each jar or folder that it needs beside its own, one class: a
     * short class path is read in less time
     */
    public static List<String> command(Class<?> main, Class<?>... needed) {
        String classPath = Stream.concat(Stream.of(main), Stream.of(needed))
            .map((type) -> Path.of(URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString()))
                .toString())
            .distinct()
            .collect(Collectors.joining(System.getProperty("path.separator")));
        return new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m",
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xlog:disable",
                "-Xlog:all=error:stderr", "-cp", classPath, main.getName()));
    }

}
