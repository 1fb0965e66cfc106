package io.shardedid.spring.json;

import io.shardedid.ShardedId;
import io.shardedid.jackson.IdTexts;
import io.shardedid.jackson.JsonIds;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.repository.core.support.RepositoryFactoryBeanSupport;
import org.springframework.data.rest.core.config.RepositoryRestConfiguration;

/**
 * {@link EnableAutoConfiguration Auto-configuration} that recognizes the ids in
 * projections of Spring Data's repositories and of Spring Data REST. Off by
 * {@code shardedid.json.as-string=false}.
 */
@AutoConfiguration
@ConditionalOnClass({ ShardedId.class, JsonIds.class, RepositoryFactoryBeanSupport.class })
@Conditional(IdsAsStrings.class)
final class ShardedIdProjectionsAutoConfiguration {

    ShardedIdProjectionsAutoConfiguration() {
    }

    @Bean
    ProjectedIds shardedIdProjectedIds() {
        return new ProjectedIds();
    }

    @Bean
    static RepositoryProjections shardedIdRepositoryProjections(ObjectProvider<ProjectedIds> ids,
            ObjectProvider<IdTexts> formats) {
        return new RepositoryProjections(ids, formats);
    }

    /** Spring Data REST has projections of its own, which no repository names. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RepositoryRestConfiguration.class)
    static class RestConfiguration {

        @Bean
        SmartInitializingSingleton shardedIdRestProjections(ObjectProvider<RepositoryRestConfiguration> rest,
                RepositoryProjections repositories) {
            return () -> rest.ifAvailable((configuration) -> repositories.lookAtExported(
                    (domain) -> configuration.getProjectionConfiguration().getProjectionsFor(domain).values()));
        }

    }

}
