package io.shardedid.benchmarks;

import java.io.Serial;
import java.util.EnumSet;

import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.generator.BeforeExecutionGenerator;
import org.hibernate.generator.EventType;
import org.hibernate.generator.EventTypeSets;

/**
 * Asks the ticket databases that the settings of the persistence unit carry.
 */
public final class TicketGenerator implements BeforeExecutionGenerator {

    @Serial
    private static final long serialVersionUID = 1;

    static final String TICKETS = "benchmarks.tickets";

    @Override
    public Object generate(SharedSessionContractImplementor session, Object owner, Object currentValue,
            EventType eventType) {
        return ((Tickets) session.getFactory().getProperties().get(TICKETS)).next();
    }

    @Override
    public EnumSet<EventType> getEventTypes() {
        return EventTypeSets.INSERT_ONLY;
    }

}
