package io.shardedid.interleavings;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A fault in a copy of one production class, which a scene has to find. The scene runs in
 * a JVM of its own, whose class path begins with the copy.
 *
 * @param name what the fault does
 * @param scene the scene
 * @param schedules how many schedules may pass before it is found
 * @param module the folder of the module
 * @param file the file of the class, in the folder of the package {@code io.shardedid}
 * @param code the code as it is, which occurs once, however its lines break
 * @param fault what stands there instead
 * @param found what the scene says
 */
record Fault(String name, Class<?> scene, int schedules, String module, String file, String code, String fault,
        String found) {

    private static final String SOURCES = "src/main/java/io/shardedid";

    void assertFound() throws Exception {
        Path folder = Files.createTempDirectory(Files.createDirectories(Path.of("target/faults")), "fault");
        compile(folder);
        Path output = folder.resolve("output.txt");
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:+EnableDynamicAgentLoading", "-cp",
                folder + File.pathSeparator + classPath(), Exploration.class.getName(), this.scene.getName(),
                Integer.toString(this.schedules))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
        try {
            assertThat(process.waitFor(10, TimeUnit.MINUTES)).as("the end of the scene").isTrue();
            assertThat(Files.readString(output)).contains(this.found);
            assertThat(process.exitValue()).isEqualTo(Exploration.FOUND);
        }
        finally {
            process.destroyForcibly();
        }
    }

    private void compile(Path folder) throws Exception {
        String source = Files.readString(Path.of("../..", this.module, SOURCES, this.file));
        Matcher place = Pattern
            .compile(Stream.of(this.code.split(" ")).map(Pattern::quote).collect(Collectors.joining("\\s+")))
            .matcher(source);
        assertThat(place.results()).as("occurs once").hasSize(1);
        Path copy = folder.resolve(Path.of(this.file).getFileName());
        Files.writeString(copy, place.replaceFirst(Matcher.quoteReplacement(this.fault)));
        List<String> options = List.of("-nowarn", "-proc:none", "-cp", classPath(), "-d", folder.toString(),
                copy.toString());
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, options.toArray(String[]::new)))
            .as("it compiles")
            .isZero();
    }

    private static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    @Override
    public String toString() {
        return this.name;
    }

}
