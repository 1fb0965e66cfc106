package io.shardedid.routing;

import org.hibernate.SessionFactory;
import org.hibernate.SessionFactoryObserver;
import org.hibernate.boot.Metadata;
import org.hibernate.boot.spi.BootstrapContext;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.integrator.spi.Integrator;

/**
 * Lets the bindings of the application look at the sessions of a factory.
 *
 * @param routed what the factory is added to
 */
record RoutingIntegrator(RoutedSessionFactories routed) implements Integrator {

    @Override
    public void integrate(Metadata metadata, BootstrapContext context, SessionFactoryImplementor factory) {
        factory.addObserver(new Observer(metadata, this.routed));
    }

    /**
     * The generators of some versions are made after the integrators.
     *
     * @param metadata the boot model
     * @param routed what the factory is added to
     */
    private record Observer(Metadata metadata, RoutedSessionFactories routed) implements SessionFactoryObserver {

        @Override
        public void sessionFactoryCreated(SessionFactory built) {
            this.routed.add((SessionFactoryImplementor) built, this.metadata);
        }

        @Override
        public void sessionFactoryClosed(SessionFactory factory) {
            this.routed.remove(factory);
        }

    }

}
