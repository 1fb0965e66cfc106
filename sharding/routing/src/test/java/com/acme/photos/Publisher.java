package com.acme.photos;

import io.shardedid.shards.ShardMovedException;

import org.springframework.resilience.annotation.Retryable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Repeats what a moved shard has refused. */
@Service
public class Publisher {

    private final Photos photos;

    public Publisher(Photos photos) {
        this.photos = photos;
    }

    @Retryable(includes = ShardMovedException.class, maxRetries = 1, delay = 100)
    @Transactional
    public long publish(long user, String caption) {
        return this.photos.save(new Photo(user, caption)).getId();
    }

}
