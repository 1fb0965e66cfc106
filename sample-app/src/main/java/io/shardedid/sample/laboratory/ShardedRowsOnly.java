package io.shardedid.sample.laboratory;

import io.shardedid.sample.SampleApplication;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.core.io.ResourceLoader;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypesScanner;

/**
 * Leaves out the rows of a storm whose ids have no shard. With several databases nobody
 * could say in which of them such a row lives, and the start would fail.
 */
@Configuration(proxyBeanMethods = false)
@Profile("two-databases")
class ShardedRowsOnly {

    @Bean
    static PersistenceManagedTypes persistenceManagedTypes(ResourceLoader resources) {
        PersistenceManagedTypes all = new PersistenceManagedTypesScanner(resources)
            .scan(SampleApplication.class.getPackageName());
        return PersistenceManagedTypes.of(all.getManagedClassNames()
            .stream()
            .filter((name) -> !name.equals(IdentityRow.class.getName()) && !name.equals(RandomRow.class.getName()))
            .toList(), all.getManagedPackages());
    }

}
