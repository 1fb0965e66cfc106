package io.shardedid.config;

/**
 * Which whole numbers are written as strings in JSON.
 *
 * @since 0.1
 */
public enum JsonAsString {

    /** Ids are written as strings, in all members that are recognized as ids. */
    TRUE,

    /** Ids are written as numbers, which JavaScript rounds beyond 2<sup>53</sup> - 1. */
    FALSE,

    /**
     * Ids are written as strings as with {@link #TRUE}, and so is every whole number of
     * any class whose magnitude is beyond 2<sup>53</sup> - 1.
     */
    UNSAFE

}
