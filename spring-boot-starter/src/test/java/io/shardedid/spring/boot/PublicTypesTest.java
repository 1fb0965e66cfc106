package io.shardedid.spring.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What holds for the public types of all modules that are published. */
class PublicTypesTest {

    private static final Path ROOT = Path.of("..");

    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");

    private static final Pattern TYPE = Pattern
        .compile("(?m)^public (?:[\\w-]+ )*(?:class|interface|@interface|record|enum) (\\w+)");

    @Test
    void eachSaysSinceWhenItExists() {
        Map<String, String> published = javadocs();
        published.keySet().removeIf((type) -> type.startsWith("io.shardedid.internal."));

        assertThat(published).hasSizeGreaterThan(60)
            .allSatisfy((type, javadoc) -> assertThat(javadoc).as(type).contains(" * @since "));
    }

    /** Whoever types {@code io.shardedid.} in an editor sees what applications use. */
    @Test
    void applicationsSeeFewTypes() {
        assertThat(javadocs().keySet()).filteredOn((type) -> type.matches("io\\.shardedid\\.\\w+"))
            .hasSizeBetween(20, 35);
    }

    /** The Javadoc of each public type that is no member of another one. */
    private static Map<String, String> javadocs() {
        Map<String, String> javadocs = new TreeMap<>();
        for (Path sources : sources()) {
            try (Stream<Path> files = Files.walk(sources)) {
                for (Path file : files.filter((each) -> each.toString().endsWith(".java")).toList()) {
                    String source = read(file);
                    Matcher type = TYPE.matcher(source);
                    if (type.find()) {
                        String before = source.substring(0, type.start());
                        String owner = sources.relativize(file.getParent()).toString().replace('/', '.');
                        javadocs.put(owner + "." + type.group(1), before.substring(before.lastIndexOf("/**")));
                    }
                }
            }
            catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
        }
        return javadocs;
    }

    private static List<Path> sources() {
        String pom = read(ROOT.resolve("pom.xml")).replaceAll("(?s)<profiles>.*</profiles>", "");
        return MODULE.matcher(pom)
            .results()
            .map((module) -> module.group(1))
            .filter((module) -> !module.equals("sample-app"))
            .map((module) -> ROOT.resolve(module).resolve("src/main/java"))
            .filter(Files::exists)
            .toList();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

}
