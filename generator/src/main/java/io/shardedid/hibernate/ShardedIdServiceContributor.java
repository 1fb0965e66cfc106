package io.shardedid.hibernate;

import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.service.spi.ServiceContributor;

/**
 * Makes {@link ShardedIdService} known to Hibernate, which finds this class by
 * {@code META-INF/services}.
 */
public final class ShardedIdServiceContributor implements ServiceContributor {

    /** Called by Hibernate. */
    public ShardedIdServiceContributor() {
    }

    @Override
    public void contribute(StandardServiceRegistryBuilder builder) {
        builder.addInitiator(new ShardedIdServiceInitiator());
    }

}
