package io.shardedid.spring.gallery;

/** An id of a type of its own, which Spring makes of text by itself. */
public record PictureId(long value) {

    public static PictureId valueOf(String text) {
        return new PictureId(Long.parseLong(text));
    }

}
