package io.shardedid.spring.aot;

import io.shardedid.internal.config.ShardedIdKey;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.service.spi.ServiceContributor;
import org.springframework.context.aot.AbstractAotProcessor;

/**
 * Lets the session factories that Spring Data builds while it processes an application
 * ahead of time lease nothing before an id that they never make: it only reads their
 * metamodel, without a database and without Spring's beans. Hibernate finds this class by
 * {@code META-INF/services}.
 *
 * @since 0.1
 */
public final class AotUnits implements ServiceContributor {

    /** Called by Hibernate. */
    public AotUnits() {
    }

    @Override
    public void contribute(StandardServiceRegistryBuilder builder) {
        if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
            builder.applySetting(ShardedIdKey.WORKER_MODE.externalName(), "lease");
            builder.applySetting(ShardedIdKey.LEASE_ACQUIRE.externalName(), "first-use");
        }
    }

}
