package io.shardedid.pages;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The pages of this project, and its other files as they lie in the checkout. */
final class Pages {

    static final Path ROOT = Path.of("..", "..");

    private Pages() {
    }

    /** README.md and its neighbours, and the pages of docs, sharding and the modules. */
    static List<Path> all() {
        return files((name) -> name.endsWith(".md") && !name.matches("\\.github/.*|benchmarks/results/\\d.*"));
    }

    /** Those that users read. */
    static List<Path> current() {
        return all().stream()
            .filter((page) -> name(page).matches("README.md|extensions/[^/]+/README.md|(sharding/)?docs/.*"))
            .toList();
    }

    /** The Java sources. */
    static List<Path> sources() {
        return files((name) -> name.endsWith(".java"));
    }

    /** A file as pages name it: from the root, with slashes. */
    static String name(Path file) {
        return ROOT.relativize(file).toString().replace('\\', '/');
    }

    static String text(Path file) {
        try {
            return Files.readString(file);
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    static String text(String file) {
        return text(ROOT.resolve(file));
    }

    private static List<Path> files(Predicate<String> wanted) {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter((file) -> !name(file).matches("(.*/)?(target|\\.git|\\.mvn|node_modules)/.*"))
                .filter((file) -> wanted.test(name(file)) && Files.isRegularFile(file))
                .sorted()
                .toList();
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

}
