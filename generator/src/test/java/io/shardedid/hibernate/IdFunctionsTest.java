package io.shardedid.hibernate;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.shardedid.IdField;
import io.shardedid.IdLayout;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;
import io.shardedid.hibernate.ScalarModel.Like;
import io.shardedid.internal.config.ShardedIdSettings;
import jakarta.persistence.Tuple;
import jakarta.persistence.criteria.CriteriaQuery;
import jakarta.persistence.criteria.Expression;
import jakarta.persistence.criteria.Root;
import org.hibernate.boot.model.FunctionContributions;
import org.hibernate.dialect.H2Dialect;
import org.hibernate.query.criteria.HibernateCriteriaBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * The functions that HQL and Criteria have for ids.
 */
@Tag("every-database")
class IdFunctionsTest {

    static ShardedIdEngine ids;

    static TestUnit unit;

    @BeforeAll
    static void open() {
        ids = TestUnit.engine(20);
        unit = TestUnit.with(ids, Like.class);
        unit.persist(new Like(7L), new Like(3L), new Like(7L));
    }

    @AfterAll
    static void close() {
        unit.close();
        ids.close();
    }

    private static <T> List<T> list(String hql, Class<T> type) {
        return unit.fromTransaction((session) -> session.createSelectionQuery(hql, type).getResultList());
    }

    @Test
    void takeParameters() {
        long id = list("select max(id) from Likes", Long.class).get(0);
        assertThat(unit.<Long>fromTransaction((session) -> session
            .createSelectionQuery("select count(*) from Likes l where shard_of(l.id) = shard_of(:id) "
                    + "and id_instant(l.id) >= id_instant(:id)", Long.class)
            .setParameter("id", id)
            .getSingleResult())).isPositive();
    }

    /** The tests run in a zone that is not UTC. */
    @Test
    void instantsAreRightWhateverTypeTheUnitPrefers() {
        try (TestUnit other = TestUnit.of(Map.of(ShardedIdSettings.ENGINE, ids, "hibernate.hbm2ddl.auto", "create",
                "hibernate.type.preferred_instant_jdbc_type", "TIMESTAMP"), Like.class)) {
            Like like = new Like(7L);
            other.persist(like);
            Instant instant = ids.parse(like.id).instant();

            assertThat(other.<List<Instant>>fromTransaction((session) -> session
                .createSelectionQuery("select id_instant(id) from Likes where id_instant(id) >= :from", Instant.class)
                .setParameter("from", instant)
                .getResultList())).containsExactly(instant);
        }
    }

    /** As Hibernate's own tests do, to ask what a dialect can. */
    @Test
    void contributesNothingWhereNoUnitIsBuilt() {
        FunctionContributions nowhere = (FunctionContributions) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[] { FunctionContributions.class },
                (proxy, method, arguments) -> method.getName().equals("getDialect") ? new H2Dialect() : null);
        assertThatCode(() -> new IdFunctionContributor().contributeFunctions(nowhere)).doesNotThrowAnyException();
    }

    @Test
    void selectsTheShard() {
        assertThat(list("select shard_of(id) from Likes where userId = 3", Integer.class)).containsExactly(3);
    }

    @Test
    void selectsTheInstant() {
        for (Tuple row : list("select id, id_instant(id) from Likes", Tuple.class)) {
            assertThat(row.get(1, Instant.class)).isEqualTo(ids.layout().instantOf(row.get(0, Long.class)));
        }
    }

    @Test
    void filtersByTheShard() {
        assertThat(list("select userId from Likes where shard_of(id) = 7", Long.class)).containsExactly(7L, 7L);
    }

    @Test
    void filtersByTheInstant() {
        Instant last = unit.fromTransaction(
                (session) -> session.createSelectionQuery("select max(id_instant(id)) from Likes", Instant.class)
                    .getSingleResult());
        assertThat(unit.<Long>fromTransaction((session) -> session
            .createSelectionQuery("select count(*) from Likes where id_instant(id) <= :last", Long.class)
            .setParameter("last", last)
            .getSingleResult())).isEqualTo(3);
        assertThat(unit.<Long>fromTransaction((session) -> session
            .createSelectionQuery("select count(*) from Likes where id_instant(id) > :last", Long.class)
            .setParameter("last", last)
            .getSingleResult())).isZero();
    }

    @Test
    void groupsAndOrdersByTheShard() {
        List<Tuple> shards = list(
                "select shard_of(id), count(*) from Likes group by shard_of(id) order by shard_of(id) desc",
                Tuple.class);
        assertThat(shards).extracting((row) -> row.get(0), (row) -> row.get(1))
            .containsExactly(org.assertj.core.groups.Tuple.tuple(7, 2L), org.assertj.core.groups.Tuple.tuple(3, 1L));
    }

    @Test
    void ordersByTheInstant() {
        assertThat(list("select id_instant(id) from Likes order by id_instant(id)", Instant.class)).hasSize(3)
            .isSorted();
    }

    @Test
    void worksInCriteria() {
        List<Integer> shards = unit.fromTransaction((session) -> {
            HibernateCriteriaBuilder builder = session.getCriteriaBuilder();
            CriteriaQuery<Integer> query = builder.createQuery(Integer.class);
            Root<Like> like = query.from(Like.class);
            Expression<Integer> shard = builder.function("shard_of", Integer.class, like.get("id"));
            Expression<Instant> instant = builder.function("id_instant", Instant.class, like.get("id"));
            query.select(shard)
                .where(builder.lessThan(instant, ids.clock().instant().plusSeconds(10)))
                .groupBy(shard)
                .orderBy(builder.asc(shard));
            return session.createSelectionQuery(query).getResultList();
        });
        assertThat(shards).containsExactly(3, 7);
    }

    static List<IdLayout> layouts() {
        Instant epoch = Instant.parse("2020-02-29T23:59:59.123456Z");
        return List.of(IdLayout.standard(), IdLayout.instagramExact(), IdLayout.manyShards(), IdLayout.manyProcesses(),
                IdLayout.builder().epoch(epoch).order(IdField.SEQUENCE, IdField.WORKER, IdField.SHARD).build(),
                IdLayout.builder().epoch(epoch).order(IdField.WORKER, IdField.SHARD, IdField.SEQUENCE).build(),
                IdLayout.builder()
                    .epoch(epoch)
                    .tick(Duration.ofNanos(7_000))
                    .timeBits(50)
                    .shardBits(3)
                    .workerBits(5)
                    .build(),
                IdLayout.builder().tick(Duration.ofSeconds(1)).timeBits(33).build());
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void readsEveryLayout(IdLayout layout) {
        try (ShardedIdEngine other = ShardedIds.builder()
            .layout(layout)
            .shards(1 << layout.shardBits())
            .workers(WorkerLeases.fixed(0))
            .open();
                TestUnit unitOfLayout = TestUnit
                    .of(Map.of(ShardedIdSettings.ENGINE, other, "hibernate.hbm2ddl.auto", "create-only"), Like.class)) {
            int lastShard = (1 << layout.shardBits()) - 1;
            long[] edges = { layout.compose(0, 0, 0, 0), layout.compose(0, lastShard, 0, 1),
                    layout.compose(layout.lastTick(), lastShard, (1 << layout.workerBits()) - 1, 3),
                    layout.compose(layout.lastTick() / 3, lastShard / 2, 0, 0) };
            unitOfLayout.inTransaction((session) -> {
                for (long id : edges) {
                    session.createMutationQuery("insert into Likes (id, userId) values (:id, 1)")
                        .setParameter("id", id)
                        .executeUpdate();
                }
            });
            List<Tuple> rows = unitOfLayout.fromTransaction((session) -> session
                .createSelectionQuery("select id, shard_of(id), id_instant(id) from Likes", Tuple.class)
                .getResultList());
            assertThat(rows).hasSize(edges.length).allSatisfy((row) -> {
                long id = row.get(0, Long.class);
                assertThat(row.get(1)).isEqualTo(layout.shardOf(id));
                assertThat(row.get(2)).isEqualTo(layout.instantOf(id));
            });
        }
    }

}
