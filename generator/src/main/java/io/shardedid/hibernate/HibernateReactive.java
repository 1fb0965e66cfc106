package io.shardedid.hibernate;

import org.hibernate.boot.registry.classloading.spi.ClassLoaderService;
import org.hibernate.boot.registry.classloading.spi.ClassLoadingException;
import org.hibernate.service.Service;
import org.hibernate.service.ServiceRegistry;
import org.hibernate.service.UnknownServiceException;

/**
 * Tells Hibernate Reactive from Hibernate: there an id that has to wait would stop an
 * event loop, and everybody else on it.
 */
final class HibernateReactive {

    /** By its own check, {@code ReactiveModeCheck}. */
    private static final String MARKER = "org.hibernate.reactive.provider.service.ReactiveMarkerService";

    private HibernateReactive() {
    }

    static boolean runs(ServiceRegistry registry) {
        try {
            Class<? extends Service> marker = registry.requireService(ClassLoaderService.class).classForName(MARKER);
            return registry.getService(marker) != null;
        }
        catch (ClassLoadingException | UnknownServiceException ex) {
            return false;
        }
    }

}
