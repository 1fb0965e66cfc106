package io.shardedid.sample.laboratory;

import jakarta.persistence.Column;
import jakarta.persistence.MappedSuperclass;

/**
 * What the three tables of a storm have in common: a photo's row without its picture.
 */
@MappedSuperclass
abstract class StormRow {

    @Column(nullable = false, updatable = false)
    private long author;

    @Column(nullable = false, length = 60)
    private String caption;

    private int width = 960;

    private int height = 720;

    @SuppressWarnings("NullAway.Init")
    protected StormRow() {
    }

    StormRow(long author) {
        this.author = author;
        this.caption = "Photo of author " + author;
    }

}
