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
 * Adds the checks to a session factory: {@link AnnotationCheck} at its start, and
 * {@link ShardKeyCheck} for inserts, and for updates where
 * {@code shardedid.on-key-change} is {@code fail}; otherwise updates cost nothing.
 * Hibernate finds this class by {@code META-INF/services}.
 *
 * @since 0.1
 */
public final class ShardedIdIntegrator implements Integrator {

    /** Called by Hibernate. */
    public ShardedIdIntegrator() {
    }

    @Override
    public void integrate(Metadata metadata, BootstrapContext context, SessionFactoryImplementor factory) {
        // 6.6 makes its generators after this
        factory.addObserver(new AnnotationCheck(metadata));
        ShardedIdService service = ShardedIdServiceContributor.of(factory.getServiceRegistry());
        ShardKeyCheck check = new ShardKeyCheck(service, factory);
        EventListenerRegistry listeners = factory.getServiceRegistry().requireService(EventListenerRegistry.class);
        listeners.getEventListenerGroup(EventType.PRE_INSERT).appendListener(check);
        if (service.unit().onKeyChange() == KeyChange.FAIL) {
            // after Hibernate's own, which finds out what changed
            listeners.getEventListenerGroup(EventType.FLUSH_ENTITY).appendListener(check);
            listeners.getEventListenerGroup(EventType.PRE_UPDATE).appendListener(check);
        }
    }

    @Override
    public void disintegrate(SessionFactoryImplementor factory, SessionFactoryServiceRegistry registry) {
        // The checks go with the factory.
    }

}
