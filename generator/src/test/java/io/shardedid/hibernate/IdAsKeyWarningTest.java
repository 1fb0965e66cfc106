package io.shardedid.hibernate;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.shardedid.LoggedLines;
import io.shardedid.ShardFunction;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;
import io.shardedid.hibernate.ScalarModel.Like;
import io.shardedid.internal.config.ShardedIdSettings;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sharded ids counted modulo the shards: allowed, and said once.
 */
class IdAsKeyWarningTest {

    private static final long SHARDED = 1L << 40;

    private final LoggedLines log = new LoggedLines("io.shardedid.hibernate.ShardOfKey");

    @AfterEach
    void stopListening() {
        this.log.close();
    }

    private List<Integer> persist(ShardFunction function, long... keys) {
        List<Integer> shards = new ArrayList<>();
        try (ShardedIdEngine ids = ShardedIds.builder()
            .workers(WorkerLeases.fixed(20))
            .shardFunction(function)
            .timeSource(new SkippingTime())
            .open(); TestUnit unit = TestUnit.of(Map.of(ShardedIdSettings.ENGINE, ids), Like.class, Note.class)) {
            for (long key : keys) {
                Note note = new Note();
                note.userId = key;
                unit.persist(new Like(key), note);
                shards.add(ids.shardOf(note.id));
            }
        }
        return shards;
    }

    @Test
    void warnsOnceForEachAttribute() {
        persist(ShardFunction.modulo(), SHARDED, SHARDED + 1, SHARDED * 2);
        assertThat(this.log.lines()).hasSize(2)
            .allSatisfy((message) -> assertThat(message).contains("key=1099511627776", "colocateWith"))
            .anySatisfy((message) -> assertThat(message).contains(Like.class.getName() + ".userId"))
            .anySatisfy((message) -> assertThat(message).contains(Note.class.getName() + ".userId"));
    }

    @Test
    void isSilentForFewerBits() {
        persist(ShardFunction.modulo(), SHARDED - 1, 0, -1, Long.MIN_VALUE);
        assertThat(this.log.lines()).isEmpty();
    }

    @Test
    void warnsWhateverTheFunction() {
        persist(ShardFunction.hash(), SHARDED);
        assertThat(this.log.lines()).hasSize(2);
    }

    /** The rows that there are were given their shard by the same key. */
    @Test
    void keepsTheShardOfThePlainKey() {
        assertThat(persist(ShardFunction.modulo(), SHARDED, SHARDED)).containsOnly((int) (SHARDED % 2000));
    }

    @Entity(name = "Note")
    static class Note {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        long userId;

    }

}
