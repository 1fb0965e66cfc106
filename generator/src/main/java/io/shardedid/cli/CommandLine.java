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

import io.shardedid.config.ShardedIdSettings;

/**
 * What was typed.
 *
 * @param words the command and its arguments
 * @param json whether the answer is for programs
 * @param settings by which ids are read
 */
record CommandLine(List<String> words, boolean json, ShardedIdSettings settings) {

    private static final String CONFIG = "--config=";

    /**
     * Sorts the arguments; a key on the line wins over the file.
     * @throws IllegalArgumentException if an option is unknown, or a file or setting
     * cannot be read
     */
    static CommandLine of(String... arguments) {
        List<String> words = new ArrayList<>();
        Map<String, String> fromFile = new LinkedHashMap<>();
        Map<String, String> typed = new LinkedHashMap<>();
        boolean json = false;
        for (String argument : arguments) {
            if (argument.equals("--json")) {
                json = true;
            }
            else if (argument.startsWith(CONFIG)) {
                fromFile.putAll(read(argument.substring(CONFIG.length())));
            }
            else if (argument.startsWith("--" + ShardedIdSettings.PREFIX) && argument.contains("=")) {
                String[] pair = argument.substring(2).split("=", 2);
                typed.put(pair[0], pair[1]);
            }
            else if (argument.startsWith("--")) {
                throw new IllegalArgumentException("Unknown option: '%s'".formatted(argument));
            }
            else {
                words.add(argument);
            }
        }
        fromFile.putAll(typed);
        return new CommandLine(List.copyOf(words), json, ShardedIdSettings.from(fromFile));
    }

    private static Map<String, String> read(String file) {
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
