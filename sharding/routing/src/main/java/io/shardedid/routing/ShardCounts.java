package io.shardedid.routing;

import java.util.Map;
import java.util.stream.Collectors;

import io.shardedid.IdField;
import io.shardedid.IdLayout;
import io.shardedid.IdReader;
import io.shardedid.hibernate.EntityShards;
import io.shardedid.shards.ShardUnknownException;
import jakarta.persistence.EntityManagerFactory;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.persister.entity.EntityPersister;

import org.springframework.beans.factory.ListableBeanFactory;

/** Counts the rows of an entity in the database of the scope, by their shards. */
final class ShardCounts {

    /** Stands for the shard of rows that count wherever they are. */
    static final int ANYWHERE = -1;

    private ShardCounts() {
    }

    /** Counts the rows of all shards, where one database has them. */
    static Map<Integer, Long> of(Class<?> entity, ListableBeanFactory beans) {
        return beans.getBeansOfType(EntityManagerFactory.class)
            .values()
            .stream()
            .map((factory) -> factory.unwrap(SessionFactoryImplementor.class))
            .filter((factory) -> factory.getMappingMetamodel().findEntityDescriptor(entity) != null)
            .findFirst()
            .map((factory) -> all(entity, factory))
            .orElseThrow(() -> unknown(entity));
    }

    static ShardUnknownException unknown(Class<?> entity) {
        return new ShardUnknownException(
                "Could not count the rows of '%s': they have no shard; give an entity whose rows have one"
                    .formatted(entity.getName()));
    }

    private static Map<Integer, Long> all(Class<?> entity, SessionFactoryImplementor factory) {
        return Map.of(ANYWHERE,
                factory.fromSession(
                        (session) -> session.createQuery("select count(*) from " + name(entity, factory), Long.class)
                            .getSingleResult()));
    }

    private static String name(Class<?> entity, SessionFactoryImplementor factory) {
        return factory.getMappingMetamodel().getEntityDescriptor(entity).getEntityName();
    }

    /**
     * Counts by the bits of the ids, as a mover chooses the rows of a shard. It moves
     * only rows with numbers, and the bits of an older id mean nothing.
     */
    static Map<Integer, Long> byShard(Class<?> entity, SessionFactoryImplementor factory, EntityShards entities) {
        EntityPersister persister = factory.getMappingMetamodel().getEntityDescriptor(entity);
        if (persister.getIdentifierType().getReturnedClass() != Long.class
                || entities.shardOfId(persister.getEntityName(), 1L).isEmpty()) {
            return all(entity, factory);
        }
        IdReader ids = entities.reader();
        IdLayout layout = ids.layout();
        int shift = layout.shiftOf(IdField.SHARD);
        String counts = """
                select case when e.id < %sL then -1L else mod(e.id, %sL) - mod(e.id, %sL) end as bits, count(*)
                  from %s e group by bits""".formatted(layout.compose(ids.firstTick(), 0, 0, 0),
                1L << (shift + layout.shardBits()), 1L << shift, persister.getEntityName());
        return factory.fromSession((session) -> session.createQuery(counts, Object[].class)
            .getResultStream()
            .collect(Collectors.toMap((row) -> (int) (((Number) row[0]).longValue() >> shift),
                    (row) -> ((Number) row[1]).longValue())));
    }

}
