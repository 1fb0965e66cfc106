package io.shardedid;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Worker ids from one number to another, both included. Where rows of two lease tables
 * meet, each table has the worker ids of its own, and a process asks for no other.
 *
 * @param first the lowest one, not negative
 * @param last the highest one, not below the first
 * @since 0.1
 */
public record WorkerIdRange(int first, int last) {

    private static final Pattern TEXT = Pattern.compile("(\\d{1,9})\\s*-\\s*(\\d{1,9})");

    /**
     * Checks the bounds.
     * @param first the lowest one
     * @param last the highest one
     * @throws ShardedIdConfigurationException if they are no range
     */
    public WorkerIdRange {
        if (first < 0 || last < first) {
            throw new ShardedIdConfigurationException(
                    "a range of worker ids must not end before it begins: first=%s, last=%s".formatted(first, last),
                    "write the lower one first");
        }
    }

    /**
     * Reads a range.
     * @param text two numbers with a hyphen between them, such as {@code 16-31}; spaces
     * around them do not matter
     * @return the range
     * @throws ShardedIdConfigurationException if the text has another form
     */
    public static WorkerIdRange parse(String text) {
        Matcher range = TEXT.matcher(text.strip());
        if (!range.matches()) {
            throw new ShardedIdConfigurationException(
                    "a range of worker ids must be two numbers with a hyphen between them: range='%s'".formatted(text),
                    "write it as 16-31");
        }
        return new WorkerIdRange(Integer.parseInt(range.group(1)), Integer.parseInt(range.group(2)));
    }

    /**
     * Returns whether a worker id belongs to the range.
     * @param worker the worker id
     * @return whether it does
     */
    public boolean contains(int worker) {
        return worker >= this.first && worker <= this.last;
    }

    /**
     * Returns how many worker ids there are.
     * @return at least 1
     */
    public int size() {
        return this.last - this.first + 1;
    }

    /** The form that {@link #parse} reads. */
    @Override
    public String toString() {
        return this.first + "-" + this.last;
    }

}
