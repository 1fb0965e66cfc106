package io.shardedid;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A JVM of its own, small and soon up.
 */
public final class SeparateJvm {

    private SeparateJvm() {
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
