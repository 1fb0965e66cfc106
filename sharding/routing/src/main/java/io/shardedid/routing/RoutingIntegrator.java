package io.shardedid.routing;

import org.hibernate.SessionFactory;
import org.hibernate.SessionFactoryObserver;
import org.hibernate.boot.Metadata;
import org.hibernate.boot.spi.BootstrapContext;
import org.hibernate.engine.config.spi.ConfigurationService;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.integrator.spi.Integrator;

/**
 * Lets the bindings of the application look at the sessions of a factory. A factory that
 * got none is left alone. Hibernate finds this class by {@code META-INF/services}.
 *
 * @apiNote Hibernate needs this class to be public.
 * @since 0.1
 */
public final class RoutingIntegrator implements Integrator {

    /** Called by Hibernate. */
    public RoutingIntegrator() {
    }

    @Override
    public void integrate(Metadata metadata, BootstrapContext context, SessionFactoryImplementor factory) {
        Object routing = factory.getServiceRegistry()
            .requireService(ConfigurationService.class)
            .getSettings()
            .get(RoutedSessionFactories.SETTING);
        if (routing instanceof RoutedSessionFactories routed) {
            factory.addObserver(new Observer(metadata, routed));
        }
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
