package io.shardedid.spring.boot;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeaseException;
import io.shardedid.WorkerLeases;
import io.shardedid.hibernate.ShardedIdService;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.spring.feed.Author;
import io.shardedid.spring.feed.Authors;
import io.shardedid.spring.feed.FeedApplication;
import io.shardedid.spring.wrong.Wrong;
import jakarta.persistence.EntityManagerFactory;
import org.hibernate.AnnotationException;
import org.hibernate.SessionFactory;
import org.hibernate.SessionFactoryObserver;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.PersistenceExceptionTranslationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.dao.support.PersistenceExceptionTranslator;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.hibernate.LocalSessionFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ShardedIdJpaAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
                DataSourceInitializationAutoConfiguration.class, HibernateJpaAutoConfiguration.class,
                TransactionAutoConfiguration.class, PersistenceExceptionTranslationAutoConfiguration.class,
                ShardedIdAutoConfiguration.class, ShardedIdJpaAutoConfiguration.class))
        .withPropertyValues("shardedid.worker.mode=fixed", "shardedid.worker.id=5", "shardedid.clock.max-ahead=10ms",
                "spring.jpa.hibernate.ddl-auto=create-drop");

    private final ApplicationContextRunner feed = this.runner
        .withConfiguration(AutoConfigurations.of(DataJpaRepositoriesAutoConfiguration.class))
        .withUserConfiguration(Feed.class);

    @Test
    void entityManagerFactoryUsesTheBean() {
        this.feed.run((context) -> {
            assertThat(engineOf(context, "entityManagerFactory")).isSameAs(context.getBean(ShardedIdEngine.class));
            Author author = context.getBean(Authors.class).save(new Author());
            assertThat(context.getBean(ShardedIdEngine.class).parse(author.getId()).worker()).isEqualTo(5);
        });
    }

    @Test
    void engineOfTheApplicationIsHandedOver() {
        this.feed.withUserConfiguration(OwnEngine.class)
            .run((context) -> assertThat(engineOf(context, "entityManagerFactory"))
                .isSameAs(context.getBean("ownIds")));
    }

    @Test
    void factoriesMadeByHandUseTheBean() {
        this.runner.withUserConfiguration(TwoUnits.class).run((context) -> {
            ShardedIdEngine ids = context.getBean(ShardedIdEngine.class);
            assertThat(engineOf(context, "first")).isSameAs(ids);
            assertThat(engineOf(context, "second")).isSameAs(ids);
            long earlier = persist(context, "first");
            long later = persist(context, "second");
            assertThat(later).isGreaterThan(earlier);
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void sessionFactoryMadeByHandUsesTheBean(boolean subclass) {
        this.runner.withUserConfiguration(OwnSessionFactory.class)
            .withPropertyValues("subclass=" + subclass)
            .run((context) -> {
                SessionFactory factory = context.getBean(SessionFactory.class);
                assertThat(ShardedIdService.idsOf(factory)).isSameAs(context.getBean(ShardedIdEngine.class));
            });
    }

    @Test
    void engineThatAFactoryBringsItselfStays() {
        this.runner.withUserConfiguration(UnitWithAnEngine.class).run((context) -> {
            assertThat(engineOf(context, "unit")).isSameAs(context.getBean("itsOwn"));
            assertThat(context.getBean(ShardedIdEngine.class)).isNotSameAs(context.getBean("itsOwn"));
        });
    }

    @Test
    void severalEnginesWithoutAPrimaryOneAreRefused() {
        this.feed.withUserConfiguration(OwnEngine.class, SecondEngine.class)
            .run((context) -> assertThat(context.getStartupFailure()).rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageContainingAll("entityManagerFactory", "ShardedIds", "@Primary"));
    }

    @Test
    void generatorWithoutAnEngineFailsAtBoot() {
        new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DataSourceAutoConfiguration.class, HibernateJpaAutoConfiguration.class,
                            TransactionAutoConfiguration.class, ShardedIdJpaAutoConfiguration.class))
            .withUserConfiguration(Feed.class)
            .run((context) -> assertThat(context.getStartupFailure()).rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageContainingAll("shardedid.engine", "ShardedIdAutoConfiguration"));
    }

    @Test
    void generatorWithTheStarterExcludedFailsAtBoot() {
        new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
                    HibernateJpaAutoConfiguration.class, TransactionAutoConfiguration.class))
            .withUserConfiguration(Feed.class)
            .run((context) -> assertThat(context.getStartupFailure()).rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageContainingAll("shardedid.engine", "ShardedIdAutoConfiguration"));
    }

    @Test
    void keyOfTheEngineInTheUnitIsRefused() {
        this.feed.withPropertyValues("shardedid.shards=64", "spring.jpa.properties.shardedid.shards=65")
            .run((context) -> assertThat(context.getStartupFailure()).rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageContainingAll("shardedid.shards", "remove"));
    }

    @Test
    void wrongMappingFailsAtBoot() {
        this.runner.withUserConfiguration(WrongMapping.class)
            .run((context) -> assertThat(context.getStartupFailure()).rootCause()
                .isInstanceOf(AnnotationException.class)
                .hasMessageContaining("@ShardedId"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "org.hibernate", "org.springframework.orm" })
    void backsOffWithoutItsClasses(String missing) {
        new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(ShardedIdAutoConfiguration.class, ShardedIdJpaAutoConfiguration.class))
            .withClassLoader(new FilteredClassLoader(missing))
            .withPropertyValues("shardedid.worker.mode=fixed", "shardedid.worker.id=6")
            .run((context) -> assertThat(context).hasNotFailed()
                .hasSingleBean(ShardedIds.class)
                .doesNotHaveBean(EngineHandover.class));
    }

    @Test
    void exceptionTranslatorBacksOffWhenTheApplicationDefinesItsOwn() {
        this.runner.withBean("shardedIdExceptionTranslator", PersistenceExceptionTranslator.class, () -> (ex) -> null)
            .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ShardedIdExceptionTranslator.class));
    }

    @Test
    void closesFactoryThenEngineThenDataSource() {
        List<String> events = new ArrayList<>();
        this.feed.withBean(DataSource.class, () -> new ClosingDataSource(database("closing"), events))
            .run((context) -> {
                ShardedIdEngine ids = context.getBean(ShardedIdEngine.class);
                context.getBean(EntityManagerFactory.class)
                    .unwrap(SessionFactoryImplementor.class)
                    .addObserver(new SessionFactoryObserver() {
                        @Override
                        public void sessionFactoryClosed(SessionFactory factory) {
                            events.add("factory closed, engine " + (open(ids) ? "open" : "closed"));
                        }
                    });
                context.getBean(ClosingDataSource.class).ids = ids;
            });

        assertThat(events).containsExactly("factory closed, engine open", "data source closed, engine closed");
    }

    @Test
    void deferredDataSourceInitializationMakesNoCycle() {
        this.feed
            .withPropertyValues("spring.jpa.defer-datasource-initialization=true", "spring.sql.init.mode=always",
                    "spring.sql.init.data-locations=classpath:one-author.sql")
            .run((context) -> assertThat(context.getBean(Authors.class).existsById(1L)).isTrue());
    }

    /**
     * In Spring Boot 4.0 Flyway and the deferred initialization are a circle by
     * themselves.
     */
    @Test
    @Tag("boot-4.1")
    void deferredInitializationBesideFlywayMakesNoCycle() {
        this.feed.withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
            .withUserConfiguration(OwnEngine.class)
            .withPropertyValues("shardedid.worker.mode=lease", "spring.jpa.defer-datasource-initialization=true",
                    "spring.flyway.baseline-on-migrate=true")
            .run((context) -> assertThat(context).hasNotFailed());
    }

    @Test
    void refusedIdsAreTransientFailuresOfARepository() {
        this.feed.withPropertyValues("shardedid.worker.id=7", "shardedid.clock.max-wait=1ms").run((context) -> {
            context.getBean(ShardedIdEngine.class).suspend();

            assertThatThrownBy(() -> context.getBean(Authors.class).save(new Author()))
                .isInstanceOf(TransientDataAccessResourceException.class)
                .hasCauseInstanceOf(WorkerLeaseException.class);
        });
    }

    private static ShardedIdEngine engineOf(ListableBeanFactory context, String factory) {
        return ShardedIdService
            .idsOf(context.getBean(factory, EntityManagerFactory.class).unwrap(SessionFactory.class));
    }

    private static long persist(ListableBeanFactory context, String factory) {
        Author author = new Author();
        context.getBean(factory, EntityManagerFactory.class)
            .unwrap(SessionFactory.class)
            .inTransaction((session) -> session.persist(author));
        return author.getId();
    }

    private static LocalContainerEntityManagerFactoryBean unit(String name, DataSource database) {
        LocalContainerEntityManagerFactoryBean unit = new LocalContainerEntityManagerFactoryBean();
        unit.setPersistenceUnitName(name);
        unit.setDataSource(database);
        unit.setPackagesToScan(Author.class.getPackageName());
        unit.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        unit.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "create-drop"));
        return unit;
    }

    private static DataSource database(String name) {
        return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).setName(name).build();
    }

    private static boolean open(ShardedIdEngine ids) {
        try {
            ids.workers();
            return true;
        }
        catch (ShardedIdException ex) {
            return false;
        }
    }

    static final class ClosingDataSource extends DelegatingDataSource implements AutoCloseable {

        private final List<String> events;

        private ShardedIdEngine ids;

        ClosingDataSource(DataSource target, List<String> events) {
            super(target);
            this.events = events;
        }

        @Override
        public void close() {
            this.events.add("data source closed, engine " + (open(this.ids) ? "open" : "closed"));
        }

    }

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = FeedApplication.class)
    static class Feed {

    }

    @Configuration(proxyBeanMethods = false)
    static class OwnEngine {

        @Bean
        ShardedIdEngine ownIds() {
            return ShardedIds.builder().workers(WorkerLeases.fixed(0)).open();
        }

    }

    @Configuration(proxyBeanMethods = false)
    static class SecondEngine {

        @Bean
        ShardedIdEngine secondIds() {
            return ShardedIds.builder().shards(7).workers(WorkerLeases.fixed(1)).open();
        }

    }

    @Configuration(proxyBeanMethods = false)
    static class TwoUnits {

        @Bean
        @Primary
        LocalContainerEntityManagerFactoryBean first() {
            return unit("first", database("first"));
        }

        @Bean
        LocalContainerEntityManagerFactoryBean second() {
            return unit("second", database("second"));
        }

    }

    @Configuration(proxyBeanMethods = false)
    static class UnitWithAnEngine {

        @Bean(defaultCandidate = false)
        ShardedIdEngine itsOwn() {
            return ShardedIds.builder().shards(7).workers(WorkerLeases.fixed(1)).open();
        }

        @Bean
        ShardedIdEngine shared() {
            return ShardedIds.builder().workers(WorkerLeases.fixed(0)).open();
        }

        @Bean
        LocalContainerEntityManagerFactoryBean unit(@Qualifier("itsOwn") ShardedIdEngine itsOwn) {
            LocalContainerEntityManagerFactoryBean unit = ShardedIdJpaAutoConfigurationTest.unit("unit",
                    database("unit"));
            unit.getJpaPropertyMap().put(ShardedIdSettings.ENGINE, itsOwn);
            return unit;
        }

    }

    @Configuration(proxyBeanMethods = false)
    static class OwnSessionFactory {

        @Bean
        LocalSessionFactoryBean sessionFactory(DataSource database, @Value("${subclass}") boolean subclass) {
            LocalSessionFactoryBean factory = subclass ? new LocalSessionFactoryBean() {
            } : new LocalSessionFactoryBean();
            factory.setDataSource(database);
            factory.setAnnotatedClasses(Author.class);
            return factory;
        }

    }

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = Wrong.class)
    static class WrongMapping {

    }

}
