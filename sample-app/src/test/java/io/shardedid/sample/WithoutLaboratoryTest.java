package io.shardedid.sample;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The laboratory stands apart: the rest of the sample compiles without it, so the feed
 * can be copied into an application.
 */
@Tag("slow")
class WithoutLaboratoryTest {

    @TempDir
    Path classes;

    @Test
    void theFeedCompilesWithoutTheLaboratory() throws IOException {
        List<Path> copied = copied();
        String classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter((entry) -> !Files.isDirectory(Path.of(entry, "io/shardedid/sample/feed")))
            .collect(Collectors.joining(File.pathSeparator));
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            compiler
                .getTask(null, files, found,
                        List.of("-proc:none", "-parameters", "-d", this.classes.toString(), "-classpath", classPath),
                        null, files.getJavaFileObjectsFromPaths(copied))
                .call();
        }

        assertThat(copied).hasSizeGreaterThan(50);
        assertThat(found.getDiagnostics()).filteredOn((each) -> each.getKind() == Diagnostic.Kind.ERROR).isEmpty();
        assertThat(this.classes.resolve("io/shardedid/sample/feed/Feed.class")).exists();
        assertThat(this.classes.resolve("io/shardedid/sample/laboratory")).doesNotExist();
    }

    private static List<Path> copied() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
            return files.filter((file) -> file.toString().endsWith(".java"))
                .filter((file) -> !file.toString().contains("/laboratory/"))
                .toList();
        }
    }

}
