package io.shardedid.hibernate;

import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.hibernate.ScalarModel.Like;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Persistence;
import org.hibernate.SessionFactory;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An application without Spring: all it has is {@code persistence.xml}.
 */
class PersistenceXmlTest {

    @Test
    void opensItsOwnEngineAndClosesIt() {
        ShardedIdEngine ids;
        EntityManagerFactory factory = Persistence.createEntityManagerFactory("without-spring");
        try (factory) {
            ids = ShardedIdService.idsOf(factory.unwrap(SessionFactory.class));
            assertThat(ids.shards()).isEqualTo(100);
            Like like = new Like(1_234L);
            factory.unwrap(SessionFactory.class).inTransaction((session) -> session.persist(like));
            assertThat(ids.shardOf(like.id)).isEqualTo(34);
            assertThat(ids.layout().workerOf(like.id)).isEqualTo(22);
        }
        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(ids::next);
    }

}
