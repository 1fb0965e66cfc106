package io.shardedid.hibernate;

import io.shardedid.config.KeyChange;
import org.hibernate.boot.Metadata;
import org.hibernate.boot.spi.BootstrapContext;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.event.service.spi.EventListenerRegistry;
import org.hibernate.event.spi.EventType;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.service.spi.SessionFactoryServiceRegistry;

/**
 * Lets {@link KeyChangeCheck} see inserts, and updates where
 * {@code shardedid.on-key-change} is {@code fail}; otherwise updates cost nothing.
 * Hibernate finds this class by {@code META-INF/services}.
 */
public final class KeyChangeIntegrator implements Integrator {

    /** Called by Hibernate. */
    public KeyChangeIntegrator() {
    }

    @Override
    public void integrate(Metadata metadata, BootstrapContext context, SessionFactoryImplementor factory) {
        ShardedIdService service = factory.getServiceRegistry().requireService(ShardedIdService.class);
        KeyChangeCheck check = new KeyChangeCheck(service, factory);
        EventListenerRegistry listeners = factory.getServiceRegistry().requireService(EventListenerRegistry.class);
        listeners.getEventListenerGroup(EventType.PRE_INSERT).appendListener(check);
        if (service.onKeyChange() == KeyChange.FAIL) {
            // after Hibernate's own, which finds out what changed
            listeners.getEventListenerGroup(EventType.FLUSH_ENTITY).appendListener(check);
            listeners.getEventListenerGroup(EventType.PRE_UPDATE).appendListener(check);
        }
    }

    @Override
    public void disintegrate(SessionFactoryImplementor factory, SessionFactoryServiceRegistry registry) {
        // The listener goes with the factory.
    }

}
