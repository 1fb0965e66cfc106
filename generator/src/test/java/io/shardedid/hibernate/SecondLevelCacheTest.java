package io.shardedid.hibernate;

import java.util.Map;

import io.shardedid.ShardedIdEngine;
import io.shardedid.hibernate.AssociationModel.Photo;
import io.shardedid.hibernate.AssociationModel.User;
import io.shardedid.internal.config.ShardedIdSettings;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Entities that live on in a second-level cache.
 */
class SecondLevelCacheTest {

    static ShardedIdEngine ids;

    static TestUnit unit;

    @BeforeAll
    static void open() {
        ids = TestUnit.engine(30);
        unit = TestUnit.of(Map.of(ShardedIdSettings.ENGINE, ids, "hibernate.cache.use_second_level_cache", true,
                "hibernate.cache.region.factory_class", "jcache", "hibernate.javax.cache.missing_cache_strategy",
                "create", "jakarta.persistence.sharedCache.mode", "ALL",
                "hibernate.cache.default_cache_concurrency_strategy", "read-write"), User.class, Photo.class);
    }

    @AfterAll
    static void close() {
        unit.close();
        ids.close();
    }

    @Test
    void findsAPersistedEntityWithoutAStatement() {
        User author = new User();
        unit.persist(author);
        unit.jdbc.drain();
        User found = unit.fromTransaction((session) -> session.find(User.class, author.id));
        assertThat(found.id).isEqualTo(author.id);
        assertThat(unit.jdbc.drain()).noneMatch((entry) -> entry.startsWith("execute"));
    }

    @Test
    void takesTheShardOfACachedParentWithoutAStatement() {
        User author = new User();
        unit.persist(author);
        unit.jdbc.drain();
        Photo photo = unit.fromTransaction((session) -> {
            Photo created = new Photo(session.find(User.class, author.id));
            session.persist(created);
            return created;
        });
        assertThat(ids.shardOf(photo.id)).isEqualTo(ids.shardOf(author.id));
        assertThat(unit.jdbc.drain().stream().filter((entry) -> entry.startsWith("execute"))).hasSize(1);
    }

}
