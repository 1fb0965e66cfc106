package io.shardedid.routing;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.shardedid.shards.CrossShardException;
import io.shardedid.shards.ShardFence;
import io.shardedid.shards.ShardMovedException;
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
            assertThat(bindings.isReference()).isTrue();
            bindings.touchAny(4, "key 4");
            assertThat(bindings.isReference()).isFalse();
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

    private static ShardBindings bindings(RoutingGuard guard, boolean entersAlways) {
        return new ShardBindings(guard, new Fenced(entersAlways), new CrossShardCalls());
    }

    private BitSet connect(ShardBindings bindings) {
        return (BitSet) bindings.connected(bindings.place(), this.late::add).clone();
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

    /** Transactions of no database. */
    @SuppressWarnings("serial")
    private static final class NoTransactions extends AbstractPlatformTransactionManager {

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
