package io.shardedid.hibernate;

import java.util.Map;

import org.hibernate.boot.registry.StandardServiceInitiator;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.boot.registry.classloading.spi.ClassLoaderService;
import org.hibernate.boot.registry.classloading.spi.ClassLoadingException;
import org.hibernate.engine.config.spi.ConfigurationService;
import org.hibernate.engine.jdbc.connections.spi.ConnectionProvider;
import org.hibernate.service.Service;
import org.hibernate.service.UnknownServiceException;
import org.hibernate.service.spi.ServiceContributor;
import org.hibernate.service.spi.ServiceRegistryImplementor;

/**
 * Makes {@link ShardedIdService} known to Hibernate, which finds this class by
 * {@code META-INF/services}.
 *
 * @since 0.1
 */
public final class ShardedIdServiceContributor implements ServiceContributor {

    /** Called by Hibernate. */
    public ShardedIdServiceContributor() {
    }

    @Override
    public void contribute(StandardServiceRegistryBuilder builder) {
        builder.addInitiator(new Initiator());
    }

    /**
     * Makes the service when the first generator asks for it. Never fails: a service that
     * cannot serve says so with its own exception when it is used.
     */
    private static final class Initiator implements StandardServiceInitiator<ShardedIdService> {

        /** By the check of Hibernate Reactive itself, {@code ReactiveModeCheck}. */
        private static final String REACTIVE_MARKER = "org.hibernate.reactive.provider.service.ReactiveMarkerService";

        @Override
        public ShardedIdService initiateService(Map<String, Object> ignored, ServiceRegistryImplementor registry) {
            boolean reactive = isReactive(registry);
            return new ShardedIdService(registry.requireService(ConfigurationService.class).getSettings(),
                    () -> reactive ? null : registry.getService(ConnectionProvider.class), reactive);
        }

        /** A class that is not there is searched for in every jar. */
        private static boolean isReactive(ServiceRegistryImplementor registry) {
            try {
                Class<? extends Service> marker = registry.requireService(ClassLoaderService.class)
                    .classForName(REACTIVE_MARKER);
                return registry.getService(marker) != null;
            }
            catch (ClassLoadingException | UnknownServiceException ex) {
                return false;
            }
        }

        @Override
        public Class<ShardedIdService> getServiceInitiated() {
            return ShardedIdService.class;
        }

    }

}
