package io.shardedid.hibernate;

import java.time.Instant;
import java.util.List;

import io.shardedid.IdLayout;
import io.shardedid.IdWindow;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A span of time has the same rows wherever it is asked for.
 */
class WindowsAgreeTest {

    private static final Instant FROM = Instant.parse("2025-06-01T00:00:00Z");

    private static final Instant TO = FROM.plusMillis(3);

    @Test
    void layoutAndHqlAndSqlFindTheSameRows() throws Exception {
        try (ShardedIdEngine ids = TestUnit.engine(27); TestUnit unit = TestUnit.with(ids, Moment.class)) {
            IdLayout layout = ids.layout();
            unit.factory.inTransaction((session) -> {
                for (long tick = layout.tickAt(FROM) - 1; tick <= layout.tickAt(TO); tick++) {
                    session.persist(new Moment(layout.compose(tick, 0, 0, 0)));
                    session.persist(new Moment(layout.compose(tick, 1999, 31, 31)));
                }
            });
            IdWindow window = IdWindow.between(layout, FROM, TO);
            List<Long> expected = unit.fromTransaction((session) -> session
                .createSelectionQuery("select id from Moment where id >= :first and id < :end order by id", Long.class)
                .setParameter("first", layout.firstIdAt(FROM))
                .setParameter("end", layout.firstIdAt(TO))
                .getResultList());

            assertThat(expected).hasSize(6).allMatch(window::contains);
            assertThat(unit.<List<Long>>fromTransaction((session) -> session
                .createSelectionQuery("select id from Moment where id between :first and :last order by id", Long.class)
                .setParameter("first", window.firstId())
                .setParameter("last", window.lastId())
                .getResultList())).as("window").isEqualTo(expected);
            assertThat(unit.<List<Long>>fromTransaction((session) -> session.createSelectionQuery(
                    "select id from Moment where id_instant(id) >= :from and id_instant(id) < :to order by id",
                    Long.class)
                .setParameter("from", FROM)
                .setParameter("to", TO)
                .getResultList())).as("HQL by time").isEqualTo(expected);
            assertThat(unit.<List<Long>>fromTransaction((session) -> session
                .createNativeQuery("select id from moment where id between " + window.firstId() + " and "
                        + window.lastId() + " order by id", Long.class)
                .getResultList())).as("SQL").isEqualTo(expected);
        }
    }

    @Entity(name = "Moment")
    @Table(name = "moment")
    static class Moment {

        @Id
        @ShardedId(allowAssigned = true)
        private Long id;

        Moment() {
        }

        Moment(long id) {
            this.id = id;
        }

    }

}
