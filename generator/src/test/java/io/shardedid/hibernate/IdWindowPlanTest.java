package io.shardedid.hibernate;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

import io.shardedid.IdLayout;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A time window is a range of the primary key: the database says so itself.
 */
@Tag("every-database")
@Tag("proof")
@Tag("nightly")
class IdWindowPlanTest {

    private static final int ROWS = 5_000;

    @Test
    void aTimeWindowUsesThePrimaryKey() throws SQLException {
        try (ShardedIdEngine ids = TestUnit.engine(26); TestUnit unit = TestUnit.with(ids, Event.class)) {
            IdLayout layout = ids.layout();
            Instant start = Instant.parse("2025-06-01T00:00:00Z");
            unit.factory.inStatelessTransaction((session) -> {
                session.setJdbcBatchSize(500);
                for (int i = 0; i < ROWS; i++) {
                    Event event = new Event();
                    event.id = layout.compose(layout.tickAt(start.plusSeconds(i)), i % 2_000, 0, 0);
                    session.insert(event);
                }
            });
            long from = layout.firstIdAt(start.plusSeconds(100));
            long to = layout.lastIdAt(start.plusSeconds(109));
            unit.jdbc.drain();
            List<Long> found = unit.fromTransaction((session) -> session
                .createSelectionQuery("select id from Event where id between :from and :to order by id", Long.class)
                .setParameter("from", from)
                .setParameter("to", to)
                .getResultList());
            assertThat(found).hasSize(10);
            String sql = unit.jdbc.drain()
                .stream()
                .filter((entry) -> entry.contains("select"))
                .findFirst()
                .orElseThrow()
                .replaceFirst("executeQuery ", "")
                .replaceFirst("\\?", String.valueOf(from))
                .replaceFirst("\\?", String.valueOf(to));
            assertThat(plan(unit, sql)).as(sql).contains(switch (UnitDatabase.KIND) {
                case H2 -> "primary_key";
                case POSTGRESQL -> "event_pkey";
                case MARIADB, MYSQL -> "range|primary|primary";
            });
        }
    }

    private static String plan(TestUnit unit, String sql) throws SQLException {
        try (Connection connection = unit.jdbc.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(UnitDatabase.KIND.isAutoIncrement() ? "analyze table event" : "analyze");
            StringBuilder plan = new StringBuilder();
            try (ResultSet row = statement.executeQuery(
                    ((UnitDatabase.KIND == UnitDatabase.Kind.MYSQL) ? "explain format=traditional " : "explain ")
                            + sql)) {
                while (row.next()) {
                    for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                        plan.append(row.getString(i)).append('|');
                    }
                }
            }
            return plan.toString().toLowerCase(Locale.ROOT);
        }
    }

    @Entity(name = "Event")
    @Table(name = "event")
    static class Event {

        @Id
        @ShardedId(allowAssigned = true)
        Long id;

    }

}
