package io.shardedid.format.hibernate;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;

import io.shardedid.config.ShardedIdSettings;
import io.shardedid.hibernate.ShardedIdService;
import io.shardedid.jackson.IdTexts;
import io.shardedid.key.ShardedAttribute;

import org.hibernate.boot.Metadata;
import org.hibernate.boot.spi.BootstrapContext;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.service.spi.SessionFactoryServiceRegistry;

/**
 * Refuses forms of ids that cannot work while the session factory is built. Hibernate
 * finds this class by {@code META-INF/services}.
 * <p>
 * Hibernate forces the type to be public. It is no API.
 *
 * @since 0.1
 */
public final class PublicIdIntegrator implements Integrator {

    /** Called by Hibernate. */
    public PublicIdIntegrator() {
    }

    @Override
    public void integrate(Metadata metadata, BootstrapContext context, SessionFactoryImplementor factory) {
        Set<Class<?>> sharded = metadata.getEntityBindings()
            .stream()
            .<Class<?>>map(PersistentClass::getMappedClass)
            .filter((entity) -> ShardedAttribute.of(entity).findAny().isPresent())
            .collect(Collectors.toCollection(LinkedHashSet::new));
        if (!sharded.isEmpty()) {
            ShardedIdSettings settings = factory.getServiceRegistry().requireService(ShardedIdService.class).settings();
            IdTexts.of(settings).check(sharded, settings.jsonAsString());
        }
    }

    @Override
    public void disintegrate(SessionFactoryImplementor factory, SessionFactoryServiceRegistry registry) {
        // Nothing was added.
    }

}
