package io.shardedid.tools;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What some tests need of the machine, because no jar brings it. A system property hides
 * each of them from a build, for example {@code -Dhide.redis}, as if it were not there.
 * This is the one property that decides whether a test runs: it shows on a machine that
 * has everything what a build does on a machine that lacks something. Not even a
 * {@code PATH} can do so for libfaketime, which is found by its path.
 */
public enum Tool {

    /** Chromium or Chrome, and the driver that Selenium talks to. */
    BROWSER("a browser", "chromium chromium-driver", Place.command("chromium", "chromium-browser", "google-chrome"),
            Place.command("chromedriver")),

    /** A Redis server. */
    REDIS("a Redis server", "redis-server", Place.command("redis-server")),

    /** The library that changes the wall clock of a process. */
    LIBFAKETIME("libfaketime", "libfaketime", Place.library("faketime/libfaketime.so.1")),

    /** A MySQL server, installed, or unpacked by {@code integration-tests/mysql/server}. */
    MYSQL("a MySQL server", "mysql-server, or anywhere: integration-tests/mysql/server unpack FOLDER, with MYSQL_FOLDER=FOLDER",
            Place.command("mysqld").or("MYSQL_FOLDER", "usr/sbin/mysqld"));

    private static final System.Logger LOG = System.getLogger(Tool.class.getName());

    private static final Set<Tool> MISSED = ConcurrentHashMap.newKeySet();

    private final String title;

    private final String packages;

    private final List<Place> places;

    Tool(String title, String packages, Place... places) {
        this.title = title;
        this.packages = packages;
        this.places = List.of(places);
    }

    /**
     * Tells a build whether a tool is there. With {@code CI=true} it fails where it is
     * not.
     */
    public static void main(String[] names) {
        System.out.println(valueOf(names[0]).isFound());
    }

    /** The system property that hides it. */
    String property() {
        return "hide." + name().toLowerCase(Locale.ROOT);
    }

    /**
     * Whether it is there, for tests that run without it on something else, too. One line
     * of the log says that it is not. With {@code CI=true} that is a failure.
     */
    public boolean isFound() {
        return missing(System.getenv("PATH"), System.getProperty(property()))
            .map((missing) -> NeedsCondition.without(missing, "true".equals(System.getenv("CI"))))
            .map((without) -> {
                if (MISSED.add(this)) {
                    LOG.log(System.Logger.Level.WARNING, without.getReason().orElseThrow());
                }
                return false;
            })
            .orElse(true);
    }

    /** The files that it consists of, in the order of its description. */
    public List<Path> files() {
        String path = System.getenv("PATH");
        missing(path, System.getProperty(property())).ifPresent((message) -> {
            throw new IllegalStateException(message);
        });
        return this.places.stream().map((place) -> place.find(path).orElseThrow()).toList();
    }

    /**
     * Says what is missing and what to do about it; empty if everything is there.
     * @param path the folders of commands
     * @param hidden what the property says, or null
     */
    Optional<String> missing(String path, String hidden) {
        if (hidden != null && !hidden.equals("false")) {
            return Optional.of("Could not find %s: %s=%s (this build hides it); leave the property out"
                .formatted(this.title, property(), hidden));
        }
        List<String> missing = this.places.stream()
            .filter((place) -> place.find(path).isEmpty())
            .map(Place::description)
            .toList();
        return missing.isEmpty() ? Optional.empty()
                : Optional
                    .of("Could not find %s: missing=%s (the test needs it); install it (Debian: apt-get install %s)"
                        .formatted(this.title, missing, this.packages));
    }

    /** Where a file of a tool may be. */
    private record Place(String description, Function<String, Optional<Path>> search) {

        static Place command(String... names) {
            return new Place(String.join(" or ", names), (path) -> {
                List<Path> commands = new ArrayList<>();
                for (String name : names) {
                    for (String folder : path.split(File.pathSeparator)) {
                        commands.add(Path.of(folder, name));
                    }
                }
                return commands.stream().filter(Files::isExecutable).findFirst();
            });
        }

        /** The same in the folder that a variable of the environment names, which comes first. */
        Place or(String variable, String name) {
            return new Place("$" + variable + "/" + name + " or " + this.description, (path) -> {
                String folder = System.getenv(variable);
                return (folder != null) ? Optional.of(Path.of(folder, name)).filter(Files::isExecutable)
                        : this.search.apply(path);
            });
        }

        /** Of the folder of any architecture. */
        static Place library(String name) {
            return new Place("/usr/lib/*/" + name, (path) -> {
                Path libraries = Path.of("/usr/lib");
                if (!Files.isDirectory(libraries)) {
                    return Optional.empty();
                }
                try (Stream<Path> architectures = Files.list(libraries)) {
                    return architectures.map((architecture) -> architecture.resolve(name))
                        .filter(Files::isRegularFile)
                        .findFirst();
                }
                catch (IOException ex) {
                    throw new UncheckedIOException(ex);
                }
            });
        }

        Optional<Path> find(String path) {
            return this.search.apply(path);
        }

    }

}
