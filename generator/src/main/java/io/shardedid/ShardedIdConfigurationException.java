package io.shardedid;

import java.io.Serializable;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * A choice of the configuration cannot work. This exception is thrown before the first id
 * is made, and it is never retryable.
 *
 * @since 0.1
 */
public class ShardedIdConfigurationException extends ShardedIdException {

    private static final long serialVersionUID = 1L;

    /** The message is made of it. */
    private final Problem problem;

    /**
     * Creates an exception that names no key and no way out.
     * @param failure what failed, the values and the rule
     */
    public ShardedIdConfigurationException(String failure) {
        this(failure, null);
    }

    /**
     * Creates an exception.
     * @param failure what failed, the values and the rule
     * @param remedy what to do, or null if the rule says it
     * @param keys the keys that are wrong
     */
    public ShardedIdConfigurationException(String failure, @Nullable String remedy, String... keys) {
        this(new Problem(failure, remedy, keys), null);
    }

    /**
     * Creates an exception with its cause.
     * @param problem what is wrong
     * @param cause the failure that led to this one
     */
    public ShardedIdConfigurationException(Problem problem, @Nullable Throwable cause) {
        super(problem.text() + problem.knownNames(), false, "Update your application's configuration.", cause);
        this.problem = problem;
    }

    /**
     * Returns what is wrong.
     * @return the parts of the message
     */
    public Problem problem() {
        return this.problem;
    }

    /**
     * What is wrong with a configuration.
     *
     * @param failure what failed, the values and the rule
     * @param remedy what to do, or null if the rule says it
     * @param keys the keys that are wrong
     * @param nearest the name that was likely meant, by the name that is wrong
     * @param known the names that there are, if the wrong ones may be like none of them
     * @serial exclude
     * @since 0.1
     */
    public record Problem(String failure, @Nullable String remedy, List<String> keys, Map<String, String> nearest,
            List<String> known) implements Serializable {

        /**
         * Creates a problem. The lists and the map are copied.
         * @param failure what failed, the values and the rule
         * @param remedy what to do, or null if the rule says it
         * @param keys the keys that are wrong
         * @param nearest the name that was likely meant, by the name that is wrong
         * @param known the names that there are, if the wrong ones may be like none of
         * them
         */
        public Problem {
            keys = List.copyOf(keys);
            nearest = Collections.unmodifiableMap(new LinkedHashMap<>(nearest));
            known = List.copyOf(known);
        }

        /**
         * Creates a problem that is no misspelt name.
         * @param failure what failed, the values and the rule
         * @param remedy what to do, or null if the rule says it
         * @param keys the keys that are wrong
         */
        public Problem(String failure, @Nullable String remedy, String... keys) {
            this(failure, remedy, List.of(keys), Map.of(), List.of());
        }

        /**
         * Returns the message without the names that there are.
         * @return what failed, the values, the rule, and what to do
         */
        public String text() {
            return (this.remedy != null) ? this.failure + "; " + this.remedy : this.failure;
        }

        private String knownNames() {
            return this.known.isEmpty() ? ""
                    : this.known.stream().collect(Collectors.joining("', '", " (known: '", "')"));
        }

    }

}
