package io.shardedid.hibernate;

import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Logger;

import io.shardedid.IdReader;
import io.shardedid.ShardFunction;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;
import io.shardedid.hibernate.AssociationModel.Photo;
import io.shardedid.hibernate.AssociationModel.User;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import net.bytebuddy.ByteBuddy;
import org.hibernate.boot.registry.BootstrapServiceRegistryBuilder;
import org.hibernate.boot.registry.StandardServiceRegistry;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.service.Service;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.InstanceOfAssertFactories.THROWABLE;

/**
 * Where the engine of a session factory comes from, and who closes it.
 */
class ShardedIdServiceTest {

    private static Map<String, String> fixed(int worker) {
        return Map.of("shardedid.worker.mode", "fixed", "shardedid.worker.id", String.valueOf(worker),
                "shardedid.clock.max-ahead", "10ms");
    }

    private static long persisted(TestUnit unit) {
        User user = new User();
        unit.persist(user);
        return user.id;
    }

    private static void refused(String fields, Map<String, ?> settings) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> TestUnit.of(settings, User.class).close())
            .withMessageContainingAll(fields.split(" \\| "));
    }

    @Test
    void opensAnEngineByTheSettingsOfTheUnitAndClosesIt() {
        ShardedIdEngine ids;
        try (TestUnit unit = TestUnit.of(fixed(9), User.class)) {
            ids = ShardedIdService.idsOf(unit.factory);
            assertThat(ids.layout().workerOf(persisted(unit))).isEqualTo(9);
            assertThat(ids.layout().workerOf(ids.nextFor(4L))).isEqualTo(9);
        }
        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(ids::next);
    }

    @Test
    void leavesAnEngineOpenThatWasHandedOver() {
        try (ShardedIdEngine ids = TestUnit.engine(10)) {
            try (TestUnit unit = TestUnit.with(ids, User.class)) {
                assertThat(ShardedIdService.idsOf(unit.factory)).isSameAs(ids);
            }
            assertThatCode(ids::next).doesNotThrowAnyException();
        }
    }

    @Test
    void sharesOneEngineAmongSessionFactories() {
        Set<Long> seen = new HashSet<>();
        try (TestUnit one = TestUnit.of(fixed(11), User.class); TestUnit two = TestUnit.of(fixed(11), User.class)) {
            long before = 0;
            for (int i = 0; i < 500; i++) {
                long first = persisted(one);
                long second = persisted(two);
                assertThat(first).isGreaterThan(before);
                assertThat(second).isGreaterThan(first);
                before = second;
                seen.add(first);
                seen.add(second);
            }
        }
        assertThat(seen).hasSize(1_000);
    }

    @Test
    void goesOnInOneSessionFactoryWhenTheOtherCloses() {
        try (TestUnit one = TestUnit.of(fixed(12), User.class)) {
            try (TestUnit two = TestUnit.of(fixed(12), User.class)) {
                persisted(two);
            }
            assertThat(persisted(one)).isPositive();
        }
    }

    @Test
    void refusesADifferingConfigurationOfTheSameWorker() {
        try (TestUnit one = TestUnit.of(fixed(13), User.class)) {
            assertThat(persisted(one)).isPositive();
            refused("fixed:13 | shards=2000 | shards=1000 | namespace", with(fixed(13), "shardedid.shards", "1000"));
        }
    }

    @Test
    void refusesSettingsOfTheEngineBesideOneEachTime() {
        try (ShardedIdEngine ids = TestUnit.engine(14)) {
            UnitSettings unit = new UnitSettings(Map.of("shardedid.engine", ids, "shardedid.managed", true,
                    "shardedid.on-key-change", "fail", "shardedid.shards", "2000", "shardedid.worker.id", "14"),
                    () -> null);
            for (int time = 1; time <= 2; time++) {
                assertThatExceptionOfType(ShardedIdConfigurationException.class).as("time %s", time)
                    .isThrownBy(unit::keys)
                    .withMessageContaining("remove")
                    .satisfies((ex) -> assertThat(ex.problem().keys()).containsExactly("shardedid.shards",
                            "shardedid.worker.id"));
            }
        }
    }

    /** What makes the engine has read them. */
    @Test
    void takesPropertiesOfTheJvmBesideAnEngine() {
        System.setProperty("shardedid.shards", "1000");
        try (ShardedIdEngine ids = TestUnit.engine(15);
                TestUnit unit = TestUnit.of(
                        Map.of("shardedid.engine", ids, "shardedid.managed", true, "shardedid.on-key-change", "fail"),
                        User.class)) {
            assertThat(persisted(unit)).isPositive();
        }
        finally {
            System.clearProperty("shardedid.shards");
        }
    }

    /** Opening may read a database, so it is done under no lock. */
    @Test
    void engineOfTheSecondOfTwoCallersThatOpenOneIsClosed() {
        AtomicReference<ShardedIdService> service = new AtomicReference<>();
        AtomicReference<ShardedIdEngine> first = new AtomicReference<>();
        AtomicInteger opening = new AtomicInteger();
        service.set(new ShardedIdService(new HashMap<>(fixed(21)), () -> {
            if (opening.getAndIncrement() == 0) {
                first.set(service.get().ids());
            }
            return null;
        }, false));

        assertThat(service.get().ids()).isSameAs(first.get());
        assertThat(opening).hasValue(2);
        service.get().stop();

        // refused beside an engine that is open
        ShardedIds.builder().shards(1000).workers(WorkerLeases.fixed(21)).open().close();
    }

    /** A caller that comes while the lease is given back. */
    @Test
    void noEngineIsOpenedOnceTheServiceStops() {
        ShardedIdService service = new ShardedIdService(
                new HashMap<>(Map.of("shardedid.worker.mode", "lease", "shardedid.worker.lease.url",
                        "jdbc:h2:mem:" + UUID.randomUUID(), "shardedid.worker.lease.username", "sa",
                        "shardedid.worker.lease.window", "3s", "shardedid.worker.lease.startup-timeout", "60s")),
                () -> null, false);
        List<Throwable> heard = new CopyOnWriteArrayList<>();
        service.ids().next(1);
        Logger logger = Logger.getLogger("io.shardedid.internal.lease.LeaseReport");
        logger.setFilter((record) -> {
            if (record.getMessage().contains("given back")) {
                heard.add(catchThrowable(service::ids));
            }
            return true;
        });
        try {
            service.stop();
        }
        finally {
            logger.setFilter(null);
        }

        assertThat(heard).singleElement(THROWABLE).hasMessageContaining("session");
    }

    @Test
    void propertyWithoutAValueIsNotSet() {
        Map<String, Object> properties = new HashMap<>();
        properties.put("shardedid.shards", null);
        properties.put("jakarta.persistence.lock.timeout", null);

        assertThat(new UnitSettings(properties, () -> null).keys().builder()).isNotNull();
    }

    @Test
    void refusesToRunOnDefaultsWhereAnIntegrationAnswersForTheEngine() {
        refused("shardedid.engine | shardedid-spring-boot-starter", with(fixed(16), "shardedid.managed", true));
    }

    /** Of whichever framework: the generator knows none by its name. */
    @Test
    void refusesToRunOnDefaultsWhereAFrameworkMakesTheBeans() {
        ShardedIdService service = new ShardedIdService(
                Map.of("hibernate.resource.beans.container", new Object(), "shardedid.shards", "10"), () -> null,
                false);

        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(service::ids)
            .withMessageContainingAll("shardedid.engine", "shardedid-spring-boot-starter");
    }

    /** As a persistence.xml sets it; Hibernate mixes the properties of the JVM in. */
    @Test
    void refusesAKeyBehindAnotherPrefixUnlessItIsASystemProperty() {
        String key = "hibernate.shardedid.shards";
        Map<String, Object> unit = Map.of(key, "10", "shardedid.worker.lease.acquire", "first-use");

        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> new ShardedIdService(unit, () -> null, false).ids())
            .withMessageContainingAll("hibernate.shardedid.shards", "correct");
        System.setProperty(key, "10");
        try {
            assertThat(new ShardedIdService(unit, () -> null, false).ids()).isNotNull();
        }
        finally {
            System.clearProperty(key);
        }
    }

    @Test
    void looksForHibernateReactiveOnce() {
        AtomicInteger looks = new AtomicInteger();
        ClassLoader loader = new ClassLoader(getClass().getClassLoader()) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                if (name.startsWith("org.hibernate.reactive.")) {
                    looks.incrementAndGet();
                }
                return super.loadClass(name, resolve);
            }
        };
        try (ShardedIdEngine ids = TestUnit.engine(15);
                TestUnit unit = TestUnit.loadedBy(loader, ids, User.class, Photo.class)) {
            unit.persist(new User());
        }
        assertThat(looks).hasValue(1);
    }

    /** It may come with a library that the application does not use. */
    @Test
    void hibernateReactiveOnTheClassPathIsNotInUse() {
        ClassLoader loader = new ByteBuddy().makeInterface(Service.class)
            .name("org.hibernate.reactive.provider.service.ReactiveMarkerService")
            .make()
            .load(getClass().getClassLoader())
            .getLoaded()
            .getClassLoader();
        StandardServiceRegistry registry = new StandardServiceRegistryBuilder(
                new BootstrapServiceRegistryBuilder().applyClassLoader(loader).build())
            .applySetting("hibernate.boot.allow_jdbc_metadata_access", "false")
            .build();
        try {
            assertThat(registry.requireService(ShardedIdService.class).reactive()).isFalse();
        }
        finally {
            StandardServiceRegistryBuilder.destroy(registry);
        }
    }

    @Test
    void keeperLogsInWithTheUserAndThePasswordOfTheUnit() throws Exception {
        String url = "jdbc:h2:mem:" + UUID.randomUUID();
        try (Connection made = DriverManager.getConnection(url, "owner", "secret")) {
            for (String form : List.of("jakarta.persistence.jdbc.url user password",
                    "hibernate.connection.url username password")) {
                String[] keys = form.split(" ");
                String prefix = keys[0].substring(0, keys[0].lastIndexOf('.') + 1);
                LeaseConnections connections = new UnitSettings(
                        Map.of(keys[0], url, prefix + keys[1], "owner", prefix + keys[2], "secret"), () -> null)
                    .leaseEnvironment()
                    .connections();
                try (Connection opened = Objects.requireNonNull(connections).open(Duration.ofSeconds(10))) {
                    assertThat(opened.getMetaData().getUserName()).as(form).isEqualTo("OWNER");
                }
            }
            assertThat(made.isValid(1)).isTrue();
        }
    }

    @Test
    void refusesModeFixedWithoutAWorkerId() {
        refused("shardedid.worker.mode=fixed | shardedid.worker.id=null | another",
                Map.of("shardedid.worker.mode", "fixed"));
    }

    @Test
    void refusesAWorkerIdThatDoesNotFit() {
        refused("[0, 126] | shardedid.worker.id=128 | reserved", fixed(128));
    }

    @Test
    void refusesMoreShardsThanTheLayoutHas() {
        refused("[1, 2048] | shard-bits=11 | shards=2049", with(fixed(17), "shardedid.shards", "2049"));
    }

    @Test
    void refusesMisspeltKeys() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> TestUnit.of(with(fixed(18), "shardedid.shrads", "10"), User.class).close())
            .withMessageContainingAll("shardedid.shrads", "shardedid.shards");
    }

    @Test
    void leavesSystemPropertiesAloneThatMerelyStartAlike() {
        System.setProperty("shardedid.something-of-a-test", "x");
        try (TestUnit unit = TestUnit.of(fixed(19), User.class)) {
            assertThat(persisted(unit)).isPositive();
        }
        finally {
            System.clearProperty("shardedid.something-of-a-test");
        }
    }

    @Test
    void readsWithoutAnEngineUntilThereIsOne() {
        ShardedIdService service = new ShardedIdService(Map.of("shardedid.worker.lease.acquire", "first-use"),
                () -> null, false);
        List<ShardedIdEngine> before = ShardedIdEngine.openInThisJvm();
        IdReader bySettings = service.reader();
        assertThat(service.reader()).isSameAs(bySettings);
        assertThat(ShardedIdEngine.openInThisJvm()).isEqualTo(before);

        ShardedIdEngine opened = service.ids();
        assertThat(service.reader()).isSameAs(opened.reader()).isNotSameAs(bySettings);
        service.stop();
        assertThat(ShardedIdEngine.openInThisJvm()).doesNotContain(opened);
        assertThat(service.reader().shardOfKey(2005L)).isEqualTo(5);
    }

    @Test
    void closesAnEngineThatIsOpenedWhileTheFactoryStops() {
        AtomicReference<ShardedIdService> service = new AtomicReference<>();
        ShardFunction stopping = new ShardFunction() {
            @Override
            public String id() {
                service.get().stop();
                return "stopping";
            }

            @Override
            public int shardOf(Object key, int shards) {
                return 0;
            }
        };
        service.set(new ShardedIdService(
                Map.of("shardedid.worker.lease.acquire", "first-use", "shardedid.shard-function", stopping), () -> null,
                false));

        ShardedIdEngine late = service.get().ids();

        assertThat(ShardedIdEngine.openInThisJvm()).doesNotContain(late);
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(service.get()::ids)
            .withMessageContaining("session");
    }

    /** Beside processes that go on, Hibernate's check of a schema makes nothing. */
    @ParameterizedTest
    @ValueSource(strings = { "hibernate.hbm2ddl.auto", "jakarta.persistence.schema-generation.database.action" })
    void makesTheLeaseTableWhereHibernateMakesTheSchema(String key) {
        Map<String, Boolean> makes = new LinkedHashMap<>();
        for (String action : List.of("create", "create-only", "create-drop", "drop-and-create", "update", "validate",
                "none", "drop")) {
            makes.put(action, new UnitSettings(Map.of(key, action), () -> null).leaseEnvironment().makesSchema());
        }
        assertThat(makes).containsExactly(entry("create", true), entry("create-only", true), entry("create-drop", true),
                entry("drop-and-create", true), entry("update", true), entry("validate", false), entry("none", false),
                entry("drop", false));
    }

    @Test
    void bothersNobodyWithoutShardedIds() {
        assertThatCode(() -> TestUnit.of(Map.of("shardedid.shrads", "10"), Plain.class).close())
            .doesNotThrowAnyException();
    }

    private static Map<String, Object> with(Map<String, String> settings, String key, Object value) {
        Map<String, Object> more = new java.util.HashMap<>(settings);
        more.put(key, value);
        return more;
    }

    @Entity(name = "Plain")
    static class Plain {

        @Id
        Long id;

    }

}
