package io.shardedid.jackson;

/**
 * What an exception of Jackson says of JSON that has no id where one is read. Both
 * Jacksons throw their own {@code InvalidFormatException} with this interface.
 *
 * @since 0.1
 */
public interface UnreadableId {

    /**
     * Returns where that was.
     * @return the property, for example {@code photos[0].author}
     */
    String where();

    /**
     * Returns what stood there, and what an id is.
     * @return a message that may be shown to the client
     */
    String getOriginalMessage();

}
