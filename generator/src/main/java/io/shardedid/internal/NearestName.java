package io.shardedid.internal;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/**
 * Finds the name that a misspelt one was meant to be: by one typing error for each three
 * letters, and by two at most. Names that merely look alike are not suggested, since
 * readers of a message write what it suggests.
 */
public final class NearestName {

    private static final int MOST_ERRORS = 2;

    private static final int LETTERS_FOR_EACH_ERROR = 3;

    private NearestName() {
    }

    /**
     * Returns the known name that takes the fewest corrections.
     * @return the nearest name; empty if every name differs by more than typing errors
     */
    public static Optional<String> of(String name, Collection<String> known) {
        return known.stream()
            .filter((each) -> errors(name, each) <= Math.min(MOST_ERRORS, name.length() / LETTERS_FOR_EACH_ERROR))
            .min(Comparator.comparingInt((each) -> errors(name, each)));
    }

    /**
     * Returns the number of letters to insert, to delete or to replace, and of neighbours
     * to exchange.
     * @param name the name as it was written
     * @param meant the name that it may have been meant to be
     * @return the fewest corrections, 0 for the same name
     */
    public static int errors(String name, String meant) {
        int[] before = new int[meant.length() + 1];
        int[] last = new int[meant.length() + 1];
        Arrays.setAll(last, (j) -> j);
        for (int i = 1; i <= name.length(); i++) {
            int[] row = new int[meant.length() + 1];
            row[0] = i;
            for (int j = 1; j <= meant.length(); j++) {
                int replaced = last[j - 1] + (name.charAt(i - 1) == meant.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, Math.min(last[j], row[j - 1]) + 1);
                if (i > 1 && j > 1 && name.charAt(i - 1) == meant.charAt(j - 2)
                        && name.charAt(i - 2) == meant.charAt(j - 1)) {
                    row[j] = Math.min(row[j], before[j - 2] + 1);
                }
            }
            before = last;
            last = row;
        }
        return last[meant.length()];
    }

}
