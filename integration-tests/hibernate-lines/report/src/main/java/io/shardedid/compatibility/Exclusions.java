package io.shardedid.compatibility;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The named reasons why a Hibernate line does not run a test: lines of
 * {@code line | test class or class.method | reason}.
 */
final class Exclusions {

    private final List<Exclusion> exclusions = new ArrayList<>();

    Exclusions(List<String> lines) {
        for (String line : lines) {
            if (!line.isBlank() && !line.startsWith("#")) {
                String[] parts = line.split("\\|", 3);
                if (parts.length < 3 || parts[2].isBlank()) {
                    throw new IllegalStateException(
                            "Could not read exclusion: line='%s' (line | test | reason)".formatted(line)
                                    + "; name the reason");
                }
                this.exclusions.add(new Exclusion(parts[0].strip(), parts[1].strip(), parts[2].strip()));
            }
        }
    }

    static Exclusions of(Path file) {
        try {
            return new Exclusions(Files.readAllLines(file));
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** The reason why a column lacks a row. */
    Optional<String> reason(String column, Row row) {
        return this.exclusions.stream().filter((one) -> one.covers(column, row)).map(Exclusion::reason).findFirst();
    }

    /** Those that excuse nothing: the test runs, or there is none of that name. */
    List<String> stale(List<Run> runs) {
        return this.exclusions.stream().filter((one) -> !one.isNeeded(runs)).map(Exclusion::toString).toList();
    }

    private record Exclusion(String column, String test, String reason) {

        boolean covers(String column, Row row) {
            return this.column.equals(column)
                    && (this.test.equals(row.testClass()) || this.test.equals(row.toString()));
        }

        boolean isNeeded(List<Run> runs) {
            boolean known = runs.stream()
                .flatMap((run) -> run.outcomes().keySet().stream())
                .anyMatch((row) -> covers(this.column, row));
            return known && runs.stream()
                .filter((run) -> run.column().equals(this.column))
                .flatMap((run) -> run.outcomes().keySet().stream())
                .noneMatch((row) -> covers(this.column, row));
        }

        @Override
        public String toString() {
            return this.column + " | " + this.test;
        }

    }

}
