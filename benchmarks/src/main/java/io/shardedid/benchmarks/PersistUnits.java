package io.shardedid.benchmarks;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.IdLayout;

import org.hibernate.SessionFactory;

/**
 * All kinds of row over one pool of connections: a session factory for each layout, and
 * two ticket databases. Makes all tables anew.
 */
final class PersistUnits implements AutoCloseable {

    private final Map<IdLayout, SessionFactory> factories = new HashMap<>();

    private final Tickets tickets;

    PersistUnits(Database database, HikariDataSource rows, HikariDataSource tickets, LayoutEngines engines)
            throws SQLException {
        this.tickets = new Tickets(database, tickets);
        for (IdLayout layout : engines.layouts()) {
            List<Class<?>> entities = new ArrayList<>();
            RowKind.of(layout).forEach((kind) -> entities.add(kind.entity()));
            this.factories.put(layout, PersistUnit.open(rows, engines.of(layout), entities,
                    Map.of("hibernate.hbm2ddl.auto", "create", TicketGenerator.TICKETS, this.tickets)));
        }
    }

    SessionFactory factory(RowKind kind) {
        return this.factories.get(kind.layout());
    }

    @Override
    public void close() {
        this.factories.values().forEach(SessionFactory::close);
        this.tickets.close();
    }

}
