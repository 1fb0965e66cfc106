package io.shardedid.jackson;

import io.shardedid.ShardedId;

/** An entity whose shard key is a number from elsewhere. */
class Like {

    static final long BEYOND_JAVASCRIPT = (1L << 53) + 1;

    @ShardedId(shardKey = "userId")
    private Long id;

    private long userId;

    private long count;

    Like() {
    }

    Like(long id, long userId, long count) {
        this.id = id;
        this.userId = userId;
        this.count = count;
    }

    public Long getId() {
        return this.id;
    }

    public void setId(Long id) {
        this.id = id;
    }

    public long getUserId() {
        return this.userId;
    }

    public void setUserId(long userId) {
        this.userId = userId;
    }

    public long getCount() {
        return this.count;
    }

    public void setCount(long count) {
        this.count = count;
    }

}
