package io.shardedid.spring.boot;

import io.shardedid.ShardedIds;
import io.shardedid.internal.config.ShardedIdSettings;
import org.hibernate.SessionFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.orm.jpa.AbstractEntityManagerFactoryBean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} that gives every
 * {@code EntityManagerFactory} and {@code SessionFactory} of the context the
 * {@link ShardedIds} bean, and Spring Data the right exceptions.
 */
@AutoConfiguration(after = ShardedIdAutoConfiguration.class,
        beforeName = { "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
                "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration" })
@ConditionalOnClass({ ShardedIds.class, AbstractEntityManagerFactoryBean.class, SessionFactory.class })
final class ShardedIdJpaAutoConfiguration {

    ShardedIdJpaAutoConfiguration() {
    }

    @Bean
    static EngineHandover shardedIdEngineHandover(ObjectProvider<ShardedIds> engines,
            ObjectProvider<ShardedIdSettings> settings) {
        return new EngineHandover(engines, settings);
    }

    @Bean
    @ConditionalOnMissingBean(name = "shardedIdExceptionTranslator")
    ShardedIdExceptionTranslator shardedIdExceptionTranslator() {
        return new ShardedIdExceptionTranslator();
    }

}
