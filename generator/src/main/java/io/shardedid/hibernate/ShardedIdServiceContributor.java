package io.shardedid.hibernate;

import java.util.List;
import java.util.Map;

import org.hibernate.boot.model.FunctionContributor;
import org.hibernate.boot.registry.StandardServiceInitiator;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.boot.registry.classloading.spi.ClassLoaderService;
import org.hibernate.boot.registry.classloading.spi.ClassLoadingException;
import org.hibernate.engine.config.spi.ConfigurationService;
import org.hibernate.engine.jdbc.connections.spi.ConnectionProvider;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.integrator.spi.IntegratorService;
import org.hibernate.service.Service;
import org.hibernate.service.ServiceRegistry;
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
     * Returns the service, once it is sure that Hibernate has found what belongs to it.
     * Of jars that were merged, the service files of one may be all that is left.
     * @throws ShardedIdMappingException if a line of a service file is missing
     */
    static ShardedIdService checked(ServiceRegistry registry) {
        refuseLost(Integrator.class, ShardedIdIntegrator.class,
                registry.requireService(IntegratorService.class).getIntegrators());
        refuseLost(FunctionContributor.class, IdFunctionContributor.class,
                registry.requireService(ClassLoaderService.class).loadJavaServices(FunctionContributor.class));
        return of(registry);
    }

    /** Returns the service, if Hibernate has found this class. */
    static ShardedIdService of(ServiceRegistry registry) {
        try {
            return registry.requireService(ShardedIdService.class);
        }
        catch (UnknownServiceException ex) {
            refuseLost(ServiceContributor.class, ShardedIdServiceContributor.class, List.of());
            throw ex;
        }
    }

    private static <S> void refuseLost(Class<S> service, Class<? extends S> ours, Iterable<S> found) {
        for (S each : found) {
            if (ours.isInstance(each)) {
                return;
            }
        }
        throw new ShardedIdMappingException(
                ("Hibernate does not find '%s': the file 'META-INF/services/%s' has lost its line; merge the service "
                        + "files of all jars when you package the application")
                    .formatted(ours.getName(), service.getName()));
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
