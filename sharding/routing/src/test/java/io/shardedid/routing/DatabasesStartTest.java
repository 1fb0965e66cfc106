package io.shardedid.routing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Phaser;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import com.acme.photos.Comment;
import com.acme.photos.Country;
import com.acme.photos.Photo;
import com.acme.wrong.Wrong;
import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.aopalliance.aop.Advice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributors;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.health.DataSourceHealthContributorAutoConfiguration;
import org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What a start with several databases refuses, and what it does in each of them. */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
class DatabasesStartTest {

    private static final AutoConfigurations ALL = AutoConfigurations.of(DatabasesAutoConfiguration.class,
            MigrationsAutoConfiguration.class, RoutingAutoConfiguration.class, ShardedIdAutoConfiguration.class,
            // its package alone can name it
            ClassUtils.resolveClassName("io.shardedid.spring.boot.ShardedIdJpaAutoConfiguration", null),
            DataSourceAutoConfiguration.class, HibernateJpaAutoConfiguration.class, FlywayAutoConfiguration.class,
            LiquibaseAutoConfiguration.class, DatabasesHealthAutoConfiguration.class,
            DataSourceHealthContributorAutoConfiguration.class);

    private final String a = "jdbc:h2:mem:a" + UUID.randomUUID();

    private final String b = "jdbc:h2:mem:b" + UUID.randomUUID();

    private Connection keptA;

    private Connection keptB;

    private ApplicationContextRunner runner;

    @BeforeEach
    void databases() throws SQLException {
        this.keptA = DriverManager.getConnection(this.a);
        this.keptB = DriverManager.getConnection(this.b);
        for (Connection kept : new Connection[] { this.keptA, this.keptB }) {
            try (var statement = kept.createStatement()) {
                statement.execute(
                        "create table photo (id bigint primary key, user_id bigint not null, caption varchar(255))");
                statement.execute(
                        "create table comment (id bigint primary key, photo_id bigint not null, text varchar(255))");
                statement.execute("create table country (code varchar(255) primary key, name varchar(255))");
                statement.execute("create table wrong (id bigint primary key)");
            }
        }
        this.runner = new ApplicationContextRunner().withConfiguration(ALL)
            .withUserConfiguration(Entities.class)
            .withPropertyValues(properties());
    }

    private String[] properties() {
        return new String[] { "shardedid.databases.a.url=" + this.a, "shardedid.databases.b.url=" + this.b,
                "shardedid.databases.home=a", "shardedid.databases.initial-map=0-999: a, 1000-1999: b",
                "shardedid.worker.mode=fixed", "shardedid.worker.id=1",
                "shardedid.worker.lease.namespace=" + UUID.randomUUID(), "spring.flyway.enabled=false",
                "spring.liquibase.enabled=false", "spring.jpa.hibernate.ddl-auto=none" };
    }

    @AfterEach
    void close() throws SQLException {
        this.keptA.close();
        this.keptB.close();
    }

    @Test
    void startsWithAMapThatStaysWhereNoLeaseKeepsIt(CapturedOutput output) {
        this.runner.run((context) -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Shards.class).map()).hasToString("0-999: a, 1000-1999: b");
        });

        assertThat(output.getOut())
            .contains("The shard map stays as it is until the next start, because this process leases no worker id: "
                    + "map='0-999: a, 1000-1999: b'; stop it before a shard moves, or set 'shardedid.worker.mode' to 'lease'");
    }

    @Test
    void keepsTheMapInItsTableWhereALeaseDoes(CapturedOutput output) throws SQLException {
        this.runner.withPropertyValues("shardedid.worker.mode=lease")
            .run((context) -> assertThat(context.getBean(Shards.class).map().version()).isOne());

        try (var statement = this.keptA.createStatement();
                var rows = statement.executeQuery("select count(*) from shardedid_shard")) {
            rows.next();
            assertThat(rows.getInt(1)).isEqualTo(2001);
        }
        assertThat(output.getOut()).doesNotContain("The shard map stays as it is");
    }

    @Test
    void refusesToLookTooOften() {
        this.runner.withPropertyValues("shardedid.worker.mode=lease", "shardedid.databases.refresh=500ms")
            .run((context) -> assertThat(rootCause(context.getStartupFailure()))
                .hasMessage("refresh must be in [1s, 1m]: shardedid.databases.refresh=500ms; correct it"));
    }

    @Test
    void aBeanMaySaveRowsWhileItIsDestroyed() throws SQLException {
        this.runner.withUserConfiguration(SavesAtTheEnd.class)
            .withPropertyValues("shardedid.worker.mode=lease")
            .run((context) -> assertThat(context).hasNotFailed());

        try (var statement = this.keptB.createStatement();
                var rows = statement.executeQuery("select caption from photo")) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getString(1)).isEqualTo("last");
        }
    }

    @Test
    void oneDatabaseNeedsNeitherMapNorHome() {
        new ApplicationContextRunner().withConfiguration(ALL)
            .withUserConfiguration(Entities.class)
            .withPropertyValues("shardedid.databases.a.url=" + this.a, "shardedid.worker.mode=fixed",
                    "shardedid.worker.id=1", "shardedid.worker.lease.namespace=" + UUID.randomUUID(),
                    "spring.flyway.enabled=false", "spring.liquibase.enabled=false")
            .run((context) -> {
                assertThat(context).hasNotFailed();
                assertThat(context.getBean(Shards.class).map()).hasToString("0-1999: a");
                try (Connection connection = context.getBean(DataSource.class).getConnection();
                        var statement = connection.createStatement()) {
                    assertThat(statement.execute("select 1")).isTrue();
                }
            });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`',
            textBlock = """
                    shardedid.databases.initial-map=0-811: a, 820-1999: b | Shards 812-819 have no database: initial-map='0-811: a, 820-1999: b' (each shard from 0 to 1999 has one database); add a range for them
                    shardedid.databases.initial-map=0-999: a, 1000-1999: c | Database 'c' of shards 1000-1999 is not configured: map='0-999: a, 1000-1999: c' (configured: 'a', 'b'); correct the name, or add the database, by 'shardedid.databases.c.url' or as a data source of the sharding rule
                    shardedid.databases.enter=transaction | 'shardedid.databases.enter' must be 'write' where a database has no fence: database=a (a transaction enters its shard by the function 'shardedid_enter'); run the script of the fence there, or remove the key
                    shardedid.databases.parallelism=65 | 'shardedid.databases.parallelism' must be in [1, 64]: value=65; correct it
                    shardedid.databases.a.bean=x | Either 'shardedid.databases.a.url' or 'shardedid.databases.a.bean' must be set: database=a, url=(set), bean=x; set one of them, or remove the other keys of that database
                    shardedid.databases.home=c | 'shardedid.databases.home' must be one of the databases: shardedid.databases.home='c', databases=[a, b]
                    spring.datasource.url=jdbc:h2:mem:x | 'spring.datasource.url' must not be set beside 'shardedid.databases.*.url' (the router is the data source of the application): databases=[a, b]; move the URL to the database that it names
                    spring.jpa.properties.hibernate.connection.handling_mode=DELAYED_ACQUISITION_AND_HOLD | 'spring.jpa.properties.hibernate.connection.handling_mode' must not be set with a router: value=DELAYED_ACQUISITION_AND_HOLD (a session that keeps its connection would write the rows of the next transaction into the database of the last one); remove it
                    spring.jpa.properties.hibernate.cache.use_query_cache=true | 'spring.jpa.properties.hibernate.cache.use_query_cache' must not be true with several databases (its keys name no database, so one would answer for another); remove it; the cache of entities is safe
                    spring.jpa.hibernate.ddl-auto=update | 'spring.jpa.hibernate.ddl-auto' must be 'none' or 'validate' with several databases: value=update (Hibernate makes the tables of one database only); let Flyway or Liquibase make them, which run over all databases
                    shardedid.databases.c.username=x | Either 'shardedid.databases.c.url' or 'shardedid.databases.c.bean' must be set: database=c, url=null, bean=null; set one of them, or remove the other keys of that database
                    """)
    void refuses(String property, String message) {
        this.runner.withPropertyValues(property.split(";"))
            .run((context) -> assertThat(rootCause(context.getStartupFailure())).hasMessage(message));
    }

    @Test
    void refusesSeveralDatabasesWithoutAHome() {
        new ApplicationContextRunner().withConfiguration(ALL)
            .withPropertyValues("shardedid.databases.a.url=" + this.a, "shardedid.databases.b.url=" + this.b)
            .run((context) -> assertThat(rootCause(context.getStartupFailure()))
                .hasMessageContainingAll("'shardedid.databases.home'", "databases=[a, b]", "name the one"));
    }

    private static final String[] MIGRATIONS = { "spring.flyway.baseline-on-migrate=true",
            "spring.flyway.baseline-version=0", "spring.flyway.locations=classpath:db/flyway",
            "spring.liquibase.change-log=classpath:db/liquibase/changelog.sql" };

    private static final String AWAY = "jdbc:postgresql://127.0.0.1:1/nobody";

    @ParameterizedTest
    @ValueSource(strings = { "spring.flyway.enabled", "spring.liquibase.enabled" })
    void anotherDatabaseThatIsAwayStopsNoStartThatAsksTheHomeDatabase(String migrations) {
        this.runner
            .withPropertyValues("shardedid.databases.start=home", "shardedid.databases.b.url=" + AWAY,
                    "shardedid.databases.b.hikari.connection-timeout=250", "spring.jpa.hibernate.ddl-auto=validate",
                    migrations + "=true")
            .withPropertyValues(MIGRATIONS)
            .run((context) -> {
                assertThat(context).hasNotFailed();
                assertMigrated(this.keptA);
                EntityManager entities = SharedEntityManagerCreator
                    .createSharedEntityManager(context.getBean(EntityManagerFactory.class));
                TransactionTemplate transactions = new TransactionTemplate(
                        context.getBean(PlatformTransactionManager.class));
                Photo photo = new Photo(4, "a lake");
                transactions.executeWithoutResult((status) -> entities.persist(photo));
                Shards shards = context.getBean(Shards.class);
                Supplier<List<Photo>> all = () -> entities.createQuery("from Photo", Photo.class).getResultList();
                List<String> away = new ArrayList<>();
                assertThat(shards.merge(Comparator.comparing(Photo::getId), 10, all,
                        (database, failure) -> away.add(database)))
                    .extracting(Photo::getId)
                    .containsExactly(photo.getId());
                assertThat(shards.inEach(() -> all.get().size(), (database, failure) -> away.add(database)))
                    .containsExactly(Map.entry("a", 1));
                assertThat(away).containsExactly("b", "b");
                assertThatThrownBy(() -> shards.merge(Comparator.comparing(Photo::getId), 10, all))
                    .hasStackTraceContaining("b - Connection is not available, request timed out after");
                assertThatThrownBy(() -> shards.inEach(() -> {
                    throw new IllegalStateException("of the action");
                }, (database, failure) -> away.add(database))).hasMessage("of the action");
                assertThat(away).hasSize(2);
                Health health = context.getBean("dbHealthContributor", HealthIndicator.class).health();
                assertThat(health.getStatus()).isEqualTo(Status.UP);
                assertThat(health.getDetails()).containsExactly(Map.entry("a", "UP"), Map.entry("b", "DOWN"));
            });
    }

    @Test
    void closedContextLeavesNoThread() throws InterruptedException {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        Phaser both = new Phaser(2);
        this.runner.withPropertyValues("shardedid.databases.parallelism=2")
            .run((context) -> context.getBean(Shards.class).inEach(() -> {
                both.arriveAndAwaitAdvance();
                return threads.add(Thread.currentThread());
            }));
        threads.remove(Thread.currentThread());
        assertThat(threads).isNotEmpty();
        for (Thread thread : threads) {
            thread.join(60_000);
            assertThat(thread.isAlive()).as(thread.getName()).isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource({ "spring.flyway.enabled, migrate a database", "spring.liquibase.enabled, migrate a database",
            "spring.jpa.show-sql, validate the schema of a database" })
    void namesTheDatabaseThatStopsTheStart(String key, String task) {
        this.runner
            .withPropertyValues("shardedid.databases.b.url=" + AWAY,
                    "shardedid.databases.b.hikari.connection-timeout=2000", key + "=true")
            .withPropertyValues(MIGRATIONS)
            .run((context) -> assertThat(context.getStartupFailure()).hasStackTraceContaining(
                    "ShardedIdConfigurationException: Could not %s: database=b (SQLState=08001, ConnectException: the server is not reached); repair it, or set 'shardedid.databases.start' to 'home', so that the start looks at the home database only"
                        .formatted(task)));
    }

    @Test
    void poolsOfSeveralDatabasesAreEmptyAtFirstAndKeepNobodyWaitingForLong() {
        this.runner.withPropertyValues("shardedid.databases.b.hikari.maximum-pool-size=7").run((context) -> {
            HikariDataSource pool = context.getBean("aDatabase", HikariDataSource.class);
            assertThat(pool.getConnectionTimeout()).isEqualTo(5000);
            assertThat(pool.getMinimumIdle()).isZero();
            assertThat(pool.getMaximumPoolSize()).isEqualTo(10);
            assertThat(context.getBean("bDatabase", HikariDataSource.class).getMaximumPoolSize()).isEqualTo(7);
        });
        this.runner.withPropertyValues("shardedid.databases.start=home")
            .withPropertyValues(IntStream.range(0, 62)
                .mapToObj((i) -> "shardedid.databases.more-%s.url=%s".formatted(i, AWAY))
                .toArray(String[]::new))
            .run((context) -> assertThat(
                    context.getBean("more-61Database", HikariDataSource.class).getMaximumPoolSize())
                .isEqualTo(4));
    }

    @Test
    void settingThatThePoolDoesNotHaveIsRefused() {
        this.runner.withPropertyValues("shardedid.databases.b.hikari.max-pool-size=7")
            .run((context) -> assertThat(context.getStartupFailure()).rootCause()
                .hasMessageContaining("shardedid.databases.b.hikari.max-pool-size"));
    }

    @Test
    void healthGoesDownWithTheHomeDatabaseAndSeesOtherDataSources() {
        this.runner.withUserConfiguration(UnitOfItsOwn.class, OwnDataSources.class)
            .withPropertyValues("unit.url=jdbc:h2:mem:unit" + UUID.randomUUID(), "shardedid.databases.b.url=",
                    "shardedid.databases.b.bean=west", "east.url=" + AWAY, "west.url=" + this.b)
            .run((context) -> {
                CompositeHealthContributor all = context.getBean("dbHealthContributor",
                        CompositeHealthContributor.class);
                assertThat(all.stream().map(HealthContributors.Entry::name)).containsExactly("databases", "east");
                context.getBean("aDatabase", HikariDataSource.class).close();
                Health health = ((HealthIndicator) all.getContributor("databases")).health();
                assertThat(health.getStatus()).isEqualTo(Status.DOWN);
                assertThat(health.getDetails()).containsExactly(Map.entry("a", "DOWN"), Map.entry("b", "UP"));
            });
    }

    /** As tokens, a vault or a wrapper of the driver need it. */
    @Test
    void databasesMayBeDataSourcesOfTheApplication() throws SQLException {
        this.runner.withUserConfiguration(OwnDataSources.class)
            .withPropertyValues("shardedid.databases.a.url=", "shardedid.databases.b.url=",
                    "shardedid.databases.a.bean=east", "shardedid.databases.b.bean=west", "east.url=" + this.a,
                    "west.url=" + this.b, "shardedid.worker.mode=lease")
            .run((context) -> {
                assertThat(context).hasNotFailed();
                assertThat(context).doesNotHaveBean("aDatabase");
                EntityManager entities = SharedEntityManagerCreator
                    .createSharedEntityManager(context.getBean(EntityManagerFactory.class));
                new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                    .executeWithoutResult((status) -> entities.persist(new Photo(1500, "in the west")));
            });
        try (var statement = this.keptB.createStatement();
                var rows = statement.executeQuery("select caption from photo")) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getString(1)).isEqualTo("in the west");
        }
        try (var statement = this.keptA.createStatement();
                var rows = statement.executeQuery("select count(*) from shardedid_shard")) {
            rows.next();
            assertThat(rows.getInt(1)).isEqualTo(2001);
        }
    }

    /** Processes whose home it is would make duplicate ids. */
    @ParameterizedTest
    @CsvSource({ "shardedid.worker.mode=lease, shardedid_worker",
            "shardedid.worker.lease.table=ids.shardedid_worker, ids.shardedid_worker",
            "shardedid.worker.lease.table=ids.shardedid_worker, ids.shardedid_shard" })
    void leasesOrAMapOfTheNamespaceInAnotherDatabaseAreRefused(String key, String table) throws SQLException {
        String namespace = UUID.randomUUID().toString();
        this.keptA.createStatement().execute("create schema ids");
        this.keptB.createStatement()
            .execute("create schema ids; create table %1$s (namespace varchar(64)); insert into %1$s values ('%2$s')"
                .formatted(table, namespace));
        this.runner
            .withPropertyValues("shardedid.worker.mode=lease", "shardedid.worker.lease.namespace=" + namespace, key)
            .run((context) -> assertThat(rootCause(context.getStartupFailure())).hasMessageContainingAll(namespace,
                    "database=b, table=" + table + ",", "home database"));
    }

    @Test
    void refusesToStartWithoutTheHomeDatabase() {
        this.runner
            .withPropertyValues("shardedid.databases.a.url=jdbc:h2:mem:absent;IFEXISTS=TRUE",
                    "shardedid.databases.a.hikari.connection-timeout=250")
            .run((context) -> assertThat(context.getStartupFailure()).hasStackTraceContaining(
                    "ShardedIdConfigurationException: Could not connect to the home database: database=a ("));
    }

    @Test
    void refusesOpenInView() {
        new WebApplicationContextRunner().withConfiguration(ALL)
            .withUserConfiguration(Entities.class)
            .withPropertyValues(properties())
            .run((context) -> assertThat(rootCause(context.getStartupFailure())).hasMessage(
                    "'spring.jpa.open-in-view' must be false with several databases (a session that outlives its "
                            + "transaction reads rows of another shard after it); set it to false"));
    }

    @Test
    void refusesEntitiesWithoutShard() {
        this.runner.withUserConfiguration(WrongEntities.class)
            .run((context) -> assertThat(rootCause(context.getStartupFailure()))
                .hasMessage(("Entities must have a shard where there are several databases: entities=[%s]; give them "
                        + "'@ShardedId', mark reference data '@EveryDatabase', or put them into a persistence unit with a data source of its own")
                    .formatted(Wrong.class.getName())));
    }

    @Test
    void leavesAPersistenceUnitWithADataSourceOfItsOwnAlone() {
        this.runner.withUserConfiguration(UnitOfItsOwn.class)
            .withPropertyValues("unit.url=jdbc:h2:mem:unit" + UUID.randomUUID())
            .run((context) -> {
                assertThat(context).hasNotFailed();
                EntityManagerFactory unit = context.getBean("unit", EntityManagerFactory.class);
                EntityManager entities = SharedEntityManagerCreator.createSharedEntityManager(unit);
                TransactionTemplate serializable = new TransactionTemplate(new JpaTransactionManager(unit));
                serializable.setIsolationLevel(TransactionDefinition.ISOLATION_SERIALIZABLE);
                assertThat(serializable.<Object>execute((status) -> {
                    entities.createQuery("from Wrong").getResultList();
                    return entities
                        .createNativeQuery("select isolation_level from information_schema.sessions "
                                + "where session_id = session_id()", String.class)
                        .getSingleResult();
                })).isEqualTo("SERIALIZABLE");
            });
    }

    @Test
    void validatesTheSchemaOfEveryDatabase() throws SQLException {
        try (var statement = this.keptB.createStatement()) {
            statement.execute("alter table photo drop column caption");
        }

        this.runner.withPropertyValues("spring.jpa.hibernate.ddl-auto=validate")
            .run((context) -> assertThat(context.getStartupFailure())
                .hasMessageStartingWith("Schema of a database does not fit the entities: database=b (")
                .hasMessageContaining("caption")
                .hasMessageEndingWith("); run its migrations"));
    }

    @Test
    void makesNoAdvisorOfTheApplicationBeforeItsTime(CapturedOutput output) {
        this.runner.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
            .withUserConfiguration(OwnAdvisor.class)
            .run((context) -> assertThat(context).hasNotFailed());

        assertThat(output.getOut()).doesNotContain("is not eligible for getting processed by all BeanPostProcessors");
    }

    @Test
    void flywayRunsOverEveryDatabase() throws SQLException {
        this.runner
            .withPropertyValues("spring.flyway.enabled=true", "spring.flyway.baseline-on-migrate=true",
                    "spring.flyway.baseline-version=0", "spring.flyway.locations=classpath:db/flyway")
            .run((context) -> assertThat(context).hasNotFailed());

        assertMigrated(this.keptA);
        assertMigrated(this.keptB);
    }

    @Test
    void liquibaseRunsOverEveryDatabase() throws SQLException {
        this.runner
            .withPropertyValues("spring.liquibase.enabled=true",
                    "spring.liquibase.change-log=classpath:db/liquibase/changelog.sql")
            .run((context) -> assertThat(context).hasNotFailed());

        assertMigrated(this.keptA);
        assertMigrated(this.keptB);
    }

    private static Throwable rootCause(Throwable failure) {
        return (failure.getCause() != null) ? rootCause(failure.getCause()) : failure;
    }

    private static void assertMigrated(Connection database) throws SQLException {
        try (var statement = database.createStatement(); var rows = statement.executeQuery("select id from migrated")) {
            assertThat(rows.next()).isTrue();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EntityScan(basePackageClasses = { Photo.class, Comment.class, Country.class })
    static class Entities {

    }

    /** Made before the directory of the map. */
    static class SavesAtTheEnd implements DisposableBean {

        private final EntityManagerFactory factory;

        private final TransactionTemplate transactions;

        SavesAtTheEnd(EntityManagerFactory factory, PlatformTransactionManager transactions) {
            this.factory = factory;
            this.transactions = new TransactionTemplate(transactions);
        }

        @Override
        public void destroy() {
            EntityManager entities = SharedEntityManagerCreator.createSharedEntityManager(this.factory);
            this.transactions.executeWithoutResult((status) -> entities.persist(new Photo(1500, "last")));
        }

    }

    @Configuration(proxyBeanMethods = false)
    @EntityScan(basePackageClasses = Wrong.class)
    static class WrongEntities {

    }

    @Configuration(proxyBeanMethods = false)
    static class UnitOfItsOwn {

        @Bean(defaultCandidate = false)
        LocalContainerEntityManagerFactoryBean unit(@Value("${unit.url}") String url) {
            LocalContainerEntityManagerFactoryBean unit = new LocalContainerEntityManagerFactoryBean();
            unit.setPersistenceUnitName("unit");
            unit.setPackagesToScan(Wrong.class.getPackageName());
            unit.setDataSource(new DriverManagerDataSource(url + ";DB_CLOSE_DELAY=-1"));
            unit.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            unit.getJpaPropertyMap().put("hibernate.hbm2ddl.auto", "create");
            return unit;
        }

    }

    @Configuration(proxyBeanMethods = false)
    static class OwnDataSources {

        @Bean
        DataSource east(@Value("${east.url}") String url) {
            return new DriverManagerDataSource(url);
        }

        @Bean
        DataSource west(@Value("${west.url}") String url) {
            return new DriverManagerDataSource(url);
        }

    }

    @Configuration(proxyBeanMethods = false)
    static class OwnAdvisor {

        @Bean
        Advisor advisor() {
            return new DefaultPointcutAdvisor(new NameMatchMethodPointcut(), new Advice() {
            });
        }

    }

}
