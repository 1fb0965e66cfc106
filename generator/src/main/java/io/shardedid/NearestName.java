package io.shardedid;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/**
 * Finds the name that a misspelt one was probably meant to be.
 * <p>
 * The type is public for other packages and modules of this project and is no API.
 *
 * @since 0.1
 */
public final class NearestName {

    private NearestName() {
    }

    /**
     * Returns the known name that takes the fewest corrections.
     * @param name the misspelt name
     * @param known the names that exist
     * @param corrections how many characters may be inserted, deleted or replaced
     * @return the nearest name; empty if every name takes more corrections
     */
    public static Optional<String> of(String name, Collection<String> known, int corrections) {
        return known.stream()
            .filter((each) -> distance(name, each) <= corrections)
            .min(Comparator.comparingInt((each) -> distance(name, each)));
    }

    /** The number of characters to insert, delete or replace (Levenshtein). */
    private static int distance(String from, String to) {
        int[] row = new int[to.length() + 1];
        Arrays.setAll(row, (j) -> j);
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[to.length()];
    }

}
