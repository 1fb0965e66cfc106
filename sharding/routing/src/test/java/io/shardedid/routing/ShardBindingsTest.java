package io.shardedid.routing;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.shardedid.shards.CrossShardException;
import io.shardedid.shards.ShardFence;
import io.shardedid.shards.ShardMap;
import io.shardedid.shards.ShardMovedException;
import io.shardedid.shards.ShardRange;
import io.shardedid.shards.ShardUnknownException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Which shards a transaction enters, in fenced databases that nobody has to start. */
class ShardBindingsTest {

    private final TransactionTemplate transactions = new TransactionTemplate(new NoTransactions());

    /**
     * The shards that the connection of the transaction has entered after its first
     * statement.
     */
    private final List<Integer> late = new ArrayList<>();

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SHARD")
    void entersTheSecondShardOfItsDatabaseWhereThatMayBeTouched(RoutingGuard guard) {
        ShardBindings bindings = bindings(guard, false);

        this.transactions.executeWithoutResult((status) -> {
            bindings.touchAny(4, "key 4");
            assertThat(connect(bindings)).hasToString("{4}");
            bindings.touchAny(5, "key 5");
            bindings.touchAny(4, "key 4");
            bindings.touchAny(5, "key 5");
            bindings.touch(6, "row", 6L);
        });

        assertThat(this.late).containsExactly(5);
    }

    @Test
    void entersAllShardsThatItHasNamedBeforeItsFirstStatement() {
        ShardBindings bindings = bindings(RoutingGuard.DATABASE, false);

        this.transactions.executeWithoutResult((status) -> {
            bindings.touchAny(4, "key 4");
            bindings.touchAny(5, "key 5");
            bindings.touch(6, "row", 6L);
            assertThat(connect(bindings)).hasToString("{4, 5}");
        });

        assertThat(this.late).isEmpty();
    }

    @Test
    void entersTheShardsOfRowsTooWhereEachTransactionEnters() {
        ShardBindings bindings = bindings(RoutingGuard.DATABASE, true);

        this.transactions.executeWithoutResult((status) -> {
            bindings.touch(4, "row", 4L);
            assertThat(connect(bindings)).hasToString("{4}");
            bindings.loaded(5, "row", 5L);
        });

        assertThat(this.late).containsExactly(5);
    }

    @Test
    void doesNotEnterWhereItOnlyReads() {
        ShardBindings bindings = bindings(RoutingGuard.DATABASE, false);
        this.transactions.setReadOnly(true);

        this.transactions.executeWithoutResult((status) -> {
            bindings.touchAny(4, "key 4");
            assertThat(connect(bindings)).hasToString("{}");
            bindings.touchAny(5, "key 5");
        });

        assertThat(this.late).isEmpty();
    }

    @Test
    void doesNotEnterAShardThatIsRefused() {
        ShardBindings bindings = bindings(RoutingGuard.SHARD, false);

        assertThatThrownBy(() -> this.transactions.executeWithoutResult((status) -> {
            bindings.touchAny(4, "key 4");
            connect(bindings);
            bindings.touchAny(5, "key 5");
        })).isInstanceOf(CrossShardException.class);

        assertThat(this.late).isEmpty();
    }

    /** A bulk statement after a statement about reference data. */
    @Test
    void entersItsShardAfterReferenceDataWasRead() {
        ShardBindings bindings = bindings(RoutingGuard.SHARD, false);

        this.transactions.executeWithoutResult((status) -> {
            bindings.touchReference(false, "Country");
            assertThat(bindings.isBound()).isTrue();
            assertThat(bindings.isPlaced()).as("by reference data alone").isFalse();
            bindings.touchAny(4, "key 4");
            assertThat(bindings.isPlaced()).isTrue();
            assertThat(connect(bindings)).as("another connection").hasToString("{4}");
        });

        assertThat(this.late).isEmpty();
    }

    @Test
    void rowAfterReferenceDataEntersByItself() {
        ShardBindings bindings = bindings(RoutingGuard.SHARD, false);

        this.transactions.executeWithoutResult((status) -> {
            bindings.touchReference(false, "Country");
            bindings.touch(4, "row", 4L);
            assertThat(connect(bindings)).hasToString("{}");
        });

        assertThat(this.late).isEmpty();
    }

    @Test
    void callerGetsOneExceptionForAShardThatIsNotThereAndTheMapIsReadAgain() {
        Fenced homes = new Fenced(false);
        ShardBindings bindings = new ShardBindings(RoutingGuard.SHARD, homes, new CrossShardCalls());
        String refusal = "Could not enter shard: shard=4, state=moved (the shard is not in this database); read the "
                + "shard map again and repeat the transaction";
        RuntimeException bySql = new UncategorizedSQLException("update", null,
                new SQLException("ERROR: " + refusal + "\n  Where: a trigger", ShardFence.MOVED));
        RuntimeException other = new IllegalStateException("other");

        assertThat(bindings.failure(bySql)).isInstanceOf(ShardMovedException.class).hasMessage(refusal).hasCause(bySql);
        assertThat(homes.refreshed).hasValue(1);
        assertThat(bindings.failure(other)).isSameAs(other);
        this.transactions.executeWithoutResult((status) -> {
            bindings.failure(bySql);
            assertThat(homes.refreshed).as("the transaction is open").hasValue(1);
        });
        assertThat(homes.refreshed).hasValue(2);
    }

    @Test
    void knowsTheRowThatWasNamedLastAsLongAsItIsInItsShard() {
        ShardBindings bindings = bindings(RoutingGuard.LOG, false);

        ShardBindings.Scope scope = bindings.openForRow(4, "Photos.findById(…)", "Photo", 4L);
        this.transactions.executeWithoutResult((status) -> {
            assertThat(bindings.isNamed("Photo", 4L)).as("taken over from the scope").isTrue();
            assertThat(bindings.isNamed("Photo", 5L)).isFalse();
            assertThat(bindings.isNamed("Comment", 4L)).isFalse();
            bindings.touch(5, "Photo", 5L);
            assertThat(bindings.isNamed("Photo", 5L)).as("in another shard").isFalse();
            bindings.loaded(4, "Photo", 6L);
            assertThat(bindings.isNamed("Photo", 6L)).isTrue();
            assertThat(bindings.isNamed("Photo", 4L)).isFalse();
        });
        scope.close();

        assertThat(bindings.isNamed("Photo", 4L)).isFalse();
    }

    @Test
    void doesNotBeginWhereOneOfItsShardsHasLeftTheOthers() {
        MovingShards homes = new MovingShards();
        ShardBindings bindings = new ShardBindings(RoutingGuard.DATABASE, homes, new CrossShardCalls());

        this.transactions.executeWithoutResult((status) -> {
            bindings.touchAny(4, "key 4");
            bindings.touchAny(5, "key 5");
            homes.move("5", "b");
            assertThatThrownBy(bindings::place).isInstanceOf(ShardMovedException.class)
                .hasMessageContaining("shard=5 is in 'b', and the transaction is in 'a'");
        });
    }

    @Test
    void seesThatAnyOfItsShardsHasMovedWhileItWaitedForItsConnection() {
        MovingShards homes = new MovingShards();
        ShardBindings bindings = new ShardBindings(RoutingGuard.DATABASE, homes, new CrossShardCalls());

        this.transactions.executeWithoutResult((status) -> {
            bindings.touchAny(4, "key 4");
            bindings.touchAny(5, "key 5");
            Place place = bindings.place();
            assertThat(place.isCurrent()).isTrue();
            homes.move("5", "b");
            assertThat(place.isCurrent()).isFalse();
            homes.move("5", "a");
            homes.move("4", "b");
            assertThat(place.isCurrent()).isFalse();
        });
    }

    @Test
    void readsTheMapAgainWhenTheFenceHasRefusedAShardThatCameLater() {
        Fenced homes = new Fenced(false);
        ShardBindings bindings = new ShardBindings(RoutingGuard.DATABASE, homes, new CrossShardCalls());
        ShardMovedException moved = new ShardMovedException("moved", null);

        this.transactions.executeWithoutResult((status) -> {
            bindings.touchAny(4, "key 4");
            bindings.place().connected((shard) -> {
                throw moved;
            });
            assertThatThrownBy(() -> bindings.touchAny(5, "key 5")).isSameAs(moved);
            assertThat(homes.refreshed).as("the transaction is open").hasValue(0);
        });

        assertThat(homes.refreshed).hasValue(1);
    }

    @Test
    void commitsNothingAfterARefusalThatWasCaught() {
        ShardBindings bindings = bindings(RoutingGuard.SHARD, false);

        assertThatThrownBy(() -> this.transactions.executeWithoutResult((status) -> {
            bindings.touchAny(4, "key 4");
            assertThatThrownBy(() -> bindings.touchAny(5, "key 5")).isInstanceOf(CrossShardException.class);
        })).isInstanceOf(CrossShardException.class);
    }

    @Test
    void entersNoOtherDatabaseInsideOfAScope() {
        ShardBindings bindings = new ShardBindings(RoutingGuard.OFF, new MovingShards(), new CrossShardCalls());
        ShardBindings.Scope scope = bindings.open(4, "key 4", false);

        assertThatThrownBy(() -> bindings.openDatabase("b", "inEach")).isInstanceOf(CrossShardException.class)
            .hasMessage("Could not enter database 'b': call=inEach, the scope is in shard 4 (a) since key 4; "
                    + "call it outside of them");
        ShardBindings.Scope database = bindings.openDatabase("a", "inEach");
        assertThat(bindings.isInWholeDatabase()).isTrue();
        database.close();
        assertThat(bindings.isInWholeDatabase()).isFalse();
        assertThat(bindings.shard()).isEqualTo(4);
        scope.close();
        assertThat(bindings.isBound()).isFalse();
    }

    @Test
    void scopeThatHasEndedDoesNotComeBackWithItsTransaction() {
        ShardBindings bindings = bindings(RoutingGuard.LOG, false);
        TransactionTemplate inner = new TransactionTemplate(this.transactions.getTransactionManager());
        inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

        this.transactions.executeWithoutResult((status) -> {
            ShardBindings.Scope scope = bindings.open(4, "key 4", false);
            inner.executeWithoutResult((begun) -> assertThat(bindings.isBound()).isFalse());
            scope.close();
            inner.executeWithoutResult((begun) -> assertThat(bindings.isBound()).isFalse());
        });

        assertThat(bindings.isBound()).isFalse();
    }

    @Test
    void writesReferenceDataInAScopeOfAWholeDatabaseOnly() {
        ShardBindings bindings = new ShardBindings(RoutingGuard.OFF, new MovingShards(), new CrossShardCalls());
        assertThatThrownBy(() -> bindings.touchReference(true, "Country")).isInstanceOf(ShardUnknownException.class);
        ShardBindings.Scope scope = bindings.open(4, "key 4", false);
        assertThatThrownBy(() -> bindings.touchReference(true, "Country")).isInstanceOf(ShardUnknownException.class);
        scope.close();

        ShardBindings.Scope database = bindings.openDatabase("a", "inEach");
        bindings.touchReference(true, "Country");
        assertThat(bindings.place().database()).isEqualTo("a");
        database.close();
    }

    private static ShardBindings bindings(RoutingGuard guard, boolean entersAlways) {
        return new ShardBindings(guard, new Fenced(entersAlways), new CrossShardCalls());
    }

    private BitSet connect(ShardBindings bindings) {
        return (BitSet) bindings.place().connected(this.late::add).clone();
    }

    /**
     * One database with a fence.
     *
     * @param entersAlways whether each transaction enters its shard
     * @param refreshed how often the map was read again
     */
    private record Fenced(boolean entersAlways, AtomicInteger refreshed) implements Homes {

        Fenced(boolean entersAlways) {
            this(entersAlways, new AtomicInteger());
        }

        @Override
        public void refresh() {
            this.refreshed.incrementAndGet();
        }

        @Override
        public boolean fenced(String database) {
            return true;
        }

        @Override
        public @Nullable String whileStarting() {
            return null;
        }

    }

    /** Two databases, between which shards move. */
    static final class MovingShards implements Homes {

        @Nullable String starting;

        private ShardMap map = ShardMap.parse("0-5: a, 6-9: b", 10);

        void move(String shards, String database) {
            this.map = this.map.with(ShardRange.parse(shards), database);
        }

        @Override
        public boolean several() {
            return true;
        }

        @Override
        public String databaseOf(int shard) {
            return this.map.databaseOf(shard);
        }

        @Override
        public @Nullable String whileStarting() {
            return this.starting;
        }

        @Override
        public String home() {
            return "a";
        }

    }

    /** Transactions of no database. */
    @SuppressWarnings("serial")
    static final class NoTransactions extends AbstractPlatformTransactionManager {

        @Override
        protected Object doGetTransaction() {
            return "none";
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
        }

    }

}
