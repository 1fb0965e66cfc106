package io.shardedid.config;

/**
 * Which whole numbers leave as strings in JSON.
 *
 * @since 0.1
 */
public enum JsonAsString {

    /** Ids leave as strings, in all members that are recognized as ids. */
    TRUE,

    /** Ids leave as numbers, which JavaScript rounds beyond 2<sup>53</sup> - 1. */
    FALSE,

    /**
     * Ids leave as strings as with {@link #TRUE}, and so does every whole number of any
     * class whose magnitude is beyond 2<sup>53</sup> - 1.
     */
    UNSAFE

}
