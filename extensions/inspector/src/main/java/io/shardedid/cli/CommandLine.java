package io.shardedid.cli;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

import io.shardedid.IdLayout;
import io.shardedid.IdReader;
import io.shardedid.config.ShardedIdKey;
import io.shardedid.config.ShardedIdSettings;

/**
 * What was typed.
 *
 * @param words the command and its arguments
 * @param options the options of one command by their names
 * @param json whether the answer is for programs
 * @param layout the layout of the ids to read
 * @param shards the number of logical shards
 * @param settings the keys of the application
 */
record CommandLine(List<String> words, Map<String, String> options, boolean json, IdLayout layout, int shards,
        ShardedIdSettings settings) {

    static final String FORM = "--form";

    static final String FLAKE = "--layout=" + Flake.NAME;

    static final String FROM = "--from";

    private static final Set<String> WITH_VALUE = Set.of(FORM, FROM);

    private static final String CONFIG = "--config=";

    private static final String LAYOUT = "--layout=";

    /**
     * Sorts the arguments; a key on the line wins over the file.
     * @throws IllegalArgumentException if an option is unknown, or a file or setting
     * cannot be read
     */
    static CommandLine of(String... arguments) {
        List<String> words = new ArrayList<>();
        Map<String, String> options = new LinkedHashMap<>();
        Map<String, String> fromFile = new LinkedHashMap<>();
        Map<String, String> typed = new LinkedHashMap<>();
        boolean json = false;
        IdLayout named = null;
        for (String argument : arguments) {
            if (argument.equals("--json")) {
                json = true;
            }
            else if (argument.startsWith(CONFIG)) {
                fromFile.putAll(read(argument.substring(CONFIG.length())));
            }
            else if (argument.equals(FLAKE)) {
                options.put(FLAKE, "");
            }
            else if (argument.startsWith(LAYOUT)) {
                named = ForeignLayout.named(argument.substring(LAYOUT.length()));
            }
            else if (argument.startsWith("--" + ShardedIdSettings.PREFIX) && argument.contains("=")) {
                String[] pair = argument.substring(2).split("=", 2);
                refuseSecret(pair[0]);
                typed.put(pair[0], pair[1]);
            }
            else if (WITH_VALUE.contains(argument.split("=", 2)[0])) {
                String[] pair = argument.split("=", 2);
                if (pair.length == 1) {
                    throw new IllegalArgumentException("Option '%s' needs a value: '%1$s=…'".formatted(argument));
                }
                options.put(pair[0], pair[1]);
            }
            else if (argument.startsWith("--")) {
                throw new IllegalArgumentException("Unknown option: '%s'".formatted(argument));
            }
            else {
                words.add(argument);
            }
        }
        fromFile.putAll(typed);
        ShardedIdSettings settings = ShardedIdSettings.from(fromFile);
        if (named == null) {
            return new CommandLine(List.copyOf(words), options, json, settings.layout(), settings.shards(), settings);
        }
        IdLayout layout = settings.isSet(ShardedIdKey.EPOCH)
                ? named.toBuilder().epoch(settings.layout().epoch()).build() : named;
        return new CommandLine(List.copyOf(words), options, json, layout, 1 << layout.shardBits(), settings);
    }

    /** Reads ids of the layout that was named, or else of the application. */
    IdReader reader() {
        return this.layout.equals(this.settings.layout()) ? this.settings.reader()
                : this.settings.builder().layout(this.layout).shards(this.shards).reader();
    }

    /** Every user of the machine sees the command lines of all processes. */
    private static void refuseSecret(String key) {
        if (key.equals(ShardedIdKey.LEASE_PASSWORD.externalName())) {
            throw new IllegalArgumentException(
                    "Option '--%s' must not stand on the command line (every user of the machine sees it); write it to a "
                        .formatted(key) + "file and name that with '--config=FILE'");
        }
    }

    /**
     * Reads the keys of a properties file.
     * @throws IllegalArgumentException if it cannot be read
     */
    static Map<String, String> read(String file) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of(file))) {
            properties.load(reader);
        }
        catch (IOException | InvalidPathException ex) {
            throw new IllegalArgumentException("Could not read the configuration: file='%s' (%s)".formatted(file, ex),
                    ex);
        }
        Map<String, String> keys = new LinkedHashMap<>();
        properties.stringPropertyNames()
            .stream()
            .filter((name) -> name.startsWith(ShardedIdSettings.PREFIX))
            .forEach((name) -> keys.put(name, properties.getProperty(name)));
        return keys;
    }

}
