package io.shardedid.benchmarks;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import com.zaxxer.hikari.HikariDataSource;

import org.hibernate.SessionFactory;

/**
 * All kinds of row over one pool of connections: a session factory for each engine, and
 * two ticket databases. Makes all tables anew.
 */
final class PersistUnits implements AutoCloseable {

    private final Map<EngineKind, SessionFactory> factories = new EnumMap<>(EngineKind.class);

    private final Tickets tickets;

    PersistUnits(Database database, HikariDataSource rows, HikariDataSource tickets, Engines engines)
            throws SQLException {
        this.tickets = new Tickets(database, tickets);
        for (EngineKind engine : EngineKind.values()) {
            List<Class<?>> entities = new ArrayList<>();
            RowKind.of(engine).forEach((kind) -> entities.add(kind.entity()));
            this.factories.put(engine, PersistUnit.open(rows, engines.of(engine), entities,
                    Map.of("hibernate.hbm2ddl.auto", "create", TicketGenerator.TICKETS, this.tickets)));
        }
    }

    SessionFactory factory(RowKind kind) {
        return this.factories.get(kind.engine());
    }

    @Override
    public void close() {
        this.factories.values().forEach(SessionFactory::close);
        this.tickets.close();
    }

}
