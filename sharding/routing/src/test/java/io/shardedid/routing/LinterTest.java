package io.shardedid.routing;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import com.acme.photos.Feed;
import com.acme.photos.Photo;
import com.acme.photos.Photos;
import com.acme.photos.PhotosApplication;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.shardedid.CountedReader;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.shards.CrossShardException;
import jakarta.persistence.EntityManagerFactory;
import org.hibernate.SessionFactory;
import org.hibernate.StatelessSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.TestPropertySource;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The linter with one database, as an application meets it on the first day. */
@Tag("slow")
@SpringBootTest(classes = PhotosApplication.class,
        properties = { "spring.jpa.hibernate.ddl-auto=create", "management.endpoints.web.exposure.include=shards",
                "spring.datasource.generate-unique-name=true" })
@Import({ SimpleMeterRegistry.class, LinterTest.ReadIds.class })
@ExtendWith(OutputCaptureExtension.class)
class LinterTest {

    @Autowired
    Photos photos;

    @Autowired
    Feed feed;

    @Autowired
    ShardedIds ids;

    @Autowired
    TransactionTemplate transactions;

    @Autowired
    JdbcTemplate jdbc;

    /** Without a linter there is none. */
    @Autowired(required = false)
    CrossShardCalls crossings;

    long one;

    long neighbour;

    long other;

    @BeforeEach
    void photos() {
        this.one = this.photos.save(new Photo(4, "one")).getId();
        this.neighbour = this.photos.save(new Photo(4, "neighbour")).getId();
        this.other = this.photos.save(new Photo(7, "other")).getId();
    }

    /** An id with two readings, and one whose shard does not exist. */
    private void readsAndWritesRowsWithoutShard() {
        for (long id : new long[] { 300000000000000000L, this.one | (2047L << 12) }) {
            this.jdbc.update("insert into photo (id, user_id, caption) values (?, 4, 'old')", id);
            assertThat(this.photos.findById(id)).isPresent();
            assertThat(this.photos.existsById(id)).isTrue();
            assertThat(this.photos.findAllById(List.of(id))).hasSize(1);
            assertThat(this.photos.findByCaption("old")).hasSize(1);
            this.feed.rename(id, "older");
            this.photos.deleteById(id);
            assertThat(this.photos.findById(id)).isEmpty();
        }
    }

    @Nested
    class WithOneDatabase {

        @Autowired
        MeterRegistry meters;

        @Autowired
        ShardsEndpoint endpoint;

        @Test
        void namesEachCallSiteOnce(CapturedOutput output) {
            for (int i = 0; i < 3; i++) {
                feed.compare(one, other);
            }

            assertThat(output.toString().lines().filter((line) -> line.contains("Transaction touches two shards")))
                .singleElement()
                .asString()
                .contains("Transaction touches two shards: id=%s of 'com.acme.photos.Photo' is in shard 7, the "
                    .formatted(other) + "transaction is in shard 4 since Photos.findById(…); call site: "
                        + "com.acme.photos.Feed.compare(Feed.java:")
                .endsWith(") (each call site is named once)");
        }

        @Test
        void countsTransactionsThatTouchTwoShards() {
            double before = this.meters.get("shardedid.routing.cross_shard").functionCounter().count();

            feed.compare(one, other);
            feed.compare(one, neighbour);

            assertThat(this.meters.get("shardedid.routing.cross_shard").functionCounter().count())
                .isEqualTo(before + 1);
        }

        @Test
        void mapOfOneDatabaseIsMadeOnce(@Autowired Shards shards) {
            assertThat(shards.map()).hasToString("0-1999: home").isSameAs(shards.map());
        }

        /** Transactions come last, so that they begin in the shard of the scope. */
        @Test
        void scopesAreAroundTransactions(@Autowired ScopeAdvisor scopes,
                @Autowired BeanFactoryTransactionAttributeSourceAdvisor transactions) {
            assertThat(scopes.getOrder()).isLessThan(transactions.getOrder());
        }

        @Test
        void endpointListsEntitiesWithoutShardAndCallSites() {
            feed.compare(one, other);

            assertThat(this.endpoint.shards().entitiesWithoutShard()).containsExactly("com.acme.photos.Country");
            assertThat(this.endpoint.shards().crossShardCallSites()).extracting(ShardsEndpoint.CallSiteDescriptor::at)
                .anyMatch((site) -> site.startsWith("com.acme.photos.Feed.compare("));
        }

        @Test
        void leavesTransactionsOfTheirOwnAlone() {
            long before = crossings.total();

            transactions.executeWithoutResult((status) -> {
                photos.findById(one).orElseThrow();
                feed.renameApart(other, "apart");
                photos.findById(neighbour).orElseThrow();
            });

            assertThat(crossings.total()).isEqualTo(before);
        }

        @Test
        void readsTheShardOfAnIdOnceWhereItsRowIsLoaded(@Autowired ReadIds read) {
            transactions.executeWithoutResult((status) -> {
                int before = read.ids.get();
                photos.findById(one).orElseThrow();

                assertThat(read.ids.get() - before).isOne();
            });
        }

        @Test
        void seesWritesAtTheFlush() {
            long before = crossings.total();

            feed.publish(4, 7);

            assertThat(crossings.total()).isEqualTo(before + 1);
        }

        @Test
        void refusesNoRowFromBeforeTheFirstLease() {
            readsAndWritesRowsWithoutShard();
        }

        /** A key may be an address of a person. */
        @Test
        void namesNoShardKey(CapturedOutput output) {
            feed.compareUsers(4, 7);

            assertThat(output).contains(
                    "Transaction touches two shards: a shard key (Long) of 'com.acme.photos.Photo' is in shard 7");
        }

        @Test
        void namesIdsThatAreGivenForShardKeys(@Autowired Shards shards, CapturedOutput output) {
            assertThat(feed.inShardFor(one, shards)).isEqualTo("goes on");

            assertThat(output)
                .contains("key=%s is an id of shard 4, and as a plain key it leads to shard".formatted(one));
        }

        @Test
        void seesRowsThatAQueryHasLoaded() {
            long before = crossings.total();

            transactions.executeWithoutResult((status) -> photos.findAll());

            assertThat(crossings.total()).isEqualTo(before + 1);
        }

    }

    @Nested
    @TestPropertySource(properties = "shardedid.routing.guard=off")
    class WithGuardOff {

        @Test
        void refusesNoRowFromBeforeTheFirstLease() {
            readsAndWritesRowsWithoutShard();
        }

    }

    @Nested
    @TestPropertySource(properties = "shardedid.routing.guard=database")
    class WithGuardDatabase {

        @Test
        void refusesNoRowFromBeforeTheFirstLease() {
            readsAndWritesRowsWithoutShard();
        }

    }

    @Nested
    @TestPropertySource(properties = "shardedid.routing.guard=shard")
    class WithGuardShard {

        @Test
        void refusesASecondShard() {
            assertThatExceptionOfType(CrossShardException.class).isThrownBy(() -> feed.compare(one, other))
                .withMessage(("Transaction touches two shards: id=%s of 'com.acme.photos.Photo' is in shard 7, the "
                        + "transaction is in shard 4 since Photos.findById(…) (shardedid.routing.guard=shard);"
                        + " let each transaction work on one shard, or begin another one with REQUIRES_NEW")
                    .formatted(other));
        }

        @Test
        void writesNothing() {
            long before = photos.count();

            assertThatExceptionOfType(CrossShardException.class).isThrownBy(() -> feed.publish(4, 7));

            assertThat(photos.count()).isEqualTo(before);
        }

        @Test
        void writesNothingWhereTheRefusalIsCaught() {
            assertThatExceptionOfType(CrossShardException.class).isThrownBy(() -> feed.renameBoth(one, other, "both"));

            assertThat(photos.findById(one).orElseThrow().getCaption()).isEqualTo("one");
        }

        @Test
        void refusesNoRowFromBeforeTheFirstLease() {
            readsAndWritesRowsWithoutShard();
        }

        @ParameterizedTest
        @ValueSource(strings = { "insert", "update", "delete", "upsert" })
        void refusesEachWriteOfAStatelessSession(String write, @Autowired EntityManagerFactory factory) {
            Photo foreign = photos.findById(other).orElseThrow();
            foreign.setCaption("foreign");
            transactions.executeWithoutResult((status) -> {
                photos.findById(one);
                try (StatelessSession session = factory.unwrap(SessionFactory.class).openStatelessSession()) {
                    assertThatExceptionOfType(CrossShardException.class).isThrownBy(() -> {
                        switch (write) {
                            case "insert" -> session.insert(new Photo(7, "foreign"));
                            case "update" -> session.update(foreign);
                            case "delete" -> session.delete(foreign);
                            default -> session.upsert(foreign);
                        }
                    });
                }
                status.setRollbackOnly();
            });

            assertThat(photos.findById(other)).map(Photo::getCaption).hasValue("other");
        }

        @Test
        void allowsManyRowsOfOneShard() {
            feed.compare(one, neighbour);
            feed.publish(4, 4, 4 + ids.shards());
        }

    }

    /** Counts how often the shard of an id is read. */
    static final class ReadIds implements BeanPostProcessor {

        final AtomicInteger ids = new AtomicInteger();

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return (bean instanceof ShardedIdEngine engine)
                    ? Proxy.newProxyInstance(ReadIds.class.getClassLoader(), new Class<?>[] { ShardedIdEngine.class },
                            (self, method, arguments) -> counted(engine, method, arguments))
                    : bean;
        }

        private Object counted(ShardedIdEngine engine, Method method, Object[] arguments) throws Throwable {
            if (method.getName().equals("shardOf")) {
                this.ids.incrementAndGet();
            }
            if (method.getName().equals("reader")) {
                return new CountedReader(engine.reader(), this.ids);
            }
            try {
                return method.invoke(engine, arguments);
            }
            catch (InvocationTargetException ex) {
                throw ex.getCause();
            }
        }

    }

}
