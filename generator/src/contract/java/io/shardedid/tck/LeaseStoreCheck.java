package io.shardedid.tck;

import java.util.List;
import java.util.stream.Stream;

import io.shardedid.TimeSource;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseReply.DuplicateKey;
import io.shardedid.internal.lease.LeaseReply.Rows;
import io.shardedid.internal.lease.LeaseReply.Written;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement.Guard;
import io.shardedid.internal.lease.LeaseStatement.Insert;
import io.shardedid.internal.lease.LeaseStatement.ReadAll;
import io.shardedid.internal.lease.LeaseStatement.ReadOne;
import io.shardedid.internal.lease.LeaseStatement.Update;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.Durability;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What every store of leases must do, each check in a namespace without rows. The project
 * also runs each check against a store that is broken on purpose.
 */
public enum LeaseStoreCheck {

    /**
     * A read of no rows brings the clock, which is within 5 s of the clock of this
     * machine.
     */
    TELLS_ITS_CLOCK_WITHOUT_ROWS(Guards.ANY) {

        @Override
        public void run(LeaseStore store, LeaseStore ignored) {
            assertClock(read(store));
            assertThat(read(store).rows()).isEmpty();
            assertClock((Rows) store.execute(new ReadOne(3)));
        }

    },

    /** A row comes back as it was written, whatever characters and numbers it has. */
    READS_WHAT_WAS_INSERTED(Guards.ANY) {

        @Override
        public void run(LeaseStore store, LeaseStore ignored) {
            LeaseRow two = new LeaseRow(2, "t2", 7, Long.MAX_VALUE, Long.MAX_VALUE - 1, "Zoë's app@host:1 \\ \" 中😀",
                    null);
            LeaseRow layout = new LeaseRow(LeaseRow.LAYOUT, "database", 0, 0, 12, null, "epoch=2025;tick=1ms");
            LeaseRow zero = new LeaseRow(0, "t0", 0, -1, 0, null, null);
            List.of(two, layout, zero).forEach((row) -> assertWritten(insert(store, row, null), 1));
            assertThat(read(store).rows()).containsExactly(layout, zero, two);
            assertClock(read(store));
            assertThat(((Rows) store.execute(new ReadOne(2))).rows()).containsExactly(layout, two);
        }

    },

    /** An insert never replaces a row. */
    REFUSES_A_SECOND_ROW(Guards.ANY) {

        @Override
        public void run(LeaseStore store, LeaseStore ignored) {
            assertWritten(insert(store, row(1, "mine"), null), 1);
            assertThat(insert(store, row(1, "yours"), null)).isInstanceOf(DuplicateKey.class);
            assertThat(only(store).token()).isEqualTo("mine");
        }

    },

    /** An insert does not happen after its latest time. */
    INSERTS_NOTHING_WHEN_IT_IS_TOO_LATE(Guards.NEEDED) {

        @Override
        public void run(LeaseStore store, LeaseStore ignored) {
            long now = read(store).databaseMillis();
            assertWritten(insert(store, row(1, "late"), now - 1), 0);
            assertThat(read(store).rows()).isEmpty();
            assertWritten(insert(store, row(1, "in time"), now + 60_000), 1);
        }

    },

    /** An update writes every value of one row, and of no other row. */
    CHANGES_ALL_THAT_AN_UPDATE_NAMES(Guards.ANY) {

        @Override
        public void run(LeaseStore store, LeaseStore ignored) {
            insert(store, new LeaseRow(1, "a", 5, 10, 20, "me", null), null);
            insert(store, new LeaseRow(2, "a", 5, 10, 20, "me", null), null);
            assertWritten(store.execute(new Update(1, "a", 20, "b", 1, 11, 21, "you", null, null)), 1);
            assertThat(read(store).rows()).containsExactly(new LeaseRow(1, "b", 6, 11, 21, "you", null),
                    new LeaseRow(2, "a", 5, 10, 20, "me", null));
            assertWritten(store.execute(new Update(1, "b", 21, "c", 0, 0, 3, null, null, null)), 1);
            assertThat(read(store).rows().get(0)).isEqualTo(new LeaseRow(1, "c", 6, 0, 3, null, null));
        }

    },

    /** An update does not happen when the row has another token. */
    UPDATES_UNDER_THE_SEEN_TOKEN_ONLY(Guards.ANY) {

        @Override
        public void run(LeaseStore store, LeaseStore ignored) {
            insert(store, row(1, "a"), null);
            assertWritten(store.execute(new Update(1, "b", Long.MAX_VALUE, "c", 1, 1, 1, null, null, null)), 0);
            assertWritten(store.execute(new Update(1, "A", Long.MAX_VALUE, "c", 1, 1, 1, null, null, null)), 0);
            assertThat(only(store)).isEqualTo(row(1, "a"));
        }

    },

    /** An update does not happen when the mark of the row is above its bound. */
    UPDATES_BELOW_THE_MARK_ONLY(Guards.ANY) {

        @Override
        public void run(LeaseStore store, LeaseStore ignored) {
            insert(store, new LeaseRow(1, "a", 0, 0, 100, null, null), null);
            assertWritten(store.execute(new Update(1, "a", 99, "b", 1, 1, 200, null, null, null)), 0);
            assertWritten(store.execute(new Update(1, "a", 100, "b", 1, 1, 200, null, null, null)), 1);
        }

    },

    /** An update does not happen after its latest time. */
    UPDATES_IN_TIME_ONLY(Guards.NEEDED) {

        @Override
        public void run(LeaseStore store, LeaseStore ignored) {
            long now = read(store).databaseMillis();
            insert(store, row(1, "a"), null);
            assertWritten(update(store, "a", "b", new Guard(now - 1, false)), 0);
            assertWritten(update(store, "a", "b", new Guard(now + 60_000, false)), 1);
        }

    },

    /** An update that asks for it does not happen after the lease has run out. */
    UPDATES_WHILE_LEASED_ONLY(Guards.NEEDED) {

        @Override
        public void run(LeaseStore store, LeaseStore ignored) {
            long now = read(store).databaseMillis();
            insert(store, new LeaseRow(1, "a", 0, now - 1, 0, null, null), null);
            Guard guard = new Guard(now + 60_000, true);
            assertWritten(update(store, "a", "b", guard), 0);
            assertWritten(store.execute(new Update(1, "a", 0, "b", 1, now + 60_000, 0, null, null, null)), 1);
            assertWritten(update(store, "b", "c", new Guard(now - 1, true)), 0);
            assertWritten(update(store, "b", "c", guard), 1);
        }

    },

    /** Namespaces that differ in case only do not share rows. */
    KEEPS_NAMESPACES_APART(Guards.ANY) {

        @Override
        public void run(LeaseStore store, LeaseStore other) {
            insert(store, row(1, "a"), null);
            assertThat(read(other).rows()).isEmpty();
            assertWritten(update(other, "a", "b", null), 0);
            assertWritten(insert(other, row(1, "a"), null), 1);
            assertWritten(update(other, "a", "b", null), 1);
            assertThat(only(store).token()).isEqualTo("a");
        }

    },

    /**
     * A row that was written is what the store reads after {@link LeaseStore#disconnect},
     * which a store with connections answers by another one.
     */
    SHOWS_A_WRITE_AFTER_RECONNECTING(Guards.ANY) {

        @Override
        public void run(LeaseStore store, LeaseStore other) {
            String token = "a";
            insert(store, row(1, token), null);
            for (int i = 0; i < 50; i++) {
                assertWritten(update(store, token, "token " + i, null), 1);
                token = "token " + i;
                store.disconnect();
                assertThat(only(store).token()).isEqualTo(token);
            }
        }

    },

    /** A store that cannot evaluate a guard applies no statement that has one. */
    APPLIES_NO_GUARD_THAT_IT_CANNOT_EVALUATE(Guards.ABSENT) {

        @Override
        public void run(LeaseStore store, LeaseStore ignored) {
            long later = read(store).databaseMillis() + 60_000;
            assertThat(insert(store, row(1, "a"), later)).isInstanceOf(LeaseReply.Unknown.class);
            assertThat(read(store).rows()).isEmpty();
            insert(store, row(1, "a"), null);
            assertThat(update(store, "a", "b", new Guard(later, false))).isInstanceOf(LeaseReply.Unknown.class);
            assertThat(only(store).token()).isEqualTo("a");
        }

    };

    private final Guards guards;

    LeaseStoreCheck(Guards guards) {
        this.guards = guards;
    }

    /**
     * Returns the checks that a store has to pass.
     * @param durability the promise of the store
     * @return all of them but those about guards that the store does not know, or does
     * know
     */
    public static List<LeaseStoreCheck> of(Durability durability) {
        return Stream.of(values()).filter((check) -> switch (check.guards) {
            case ANY -> true;
            case NEEDED -> durability != Durability.KEPT;
            case ABSENT -> durability == Durability.KEPT;
        }).toList();
    }

    /**
     * Runs the check.
     * @param store a store of a namespace without rows
     * @param other the same store, of a namespace without rows that differs in case only
     * @throws AssertionError if the store breaks the contract
     */
    public abstract void run(LeaseStore store, LeaseStore other);

    private static LeaseRow row(int worker, String token) {
        return new LeaseRow(worker, token, 0, 0, 0, null, null);
    }

    private static LeaseReply insert(LeaseStore store, LeaseRow row, @Nullable Long latestMillis) {
        return store.execute(new Insert(row, latestMillis));
    }

    private static LeaseReply update(LeaseStore store, String seen, String token, @Nullable Guard guard) {
        return store.execute(new Update(1, seen, 0, token, 0, 0, 0, null, null, guard));
    }

    /**
     * Reads all rows.
     * @param store the store
     * @return the rows and the clock
     */
    public static Rows read(LeaseStore store) {
        LeaseReply reply = store.execute(new ReadAll());
        assertThat(reply).isInstanceOf(Rows.class);
        return (Rows) reply;
    }

    private static LeaseRow only(LeaseStore store) {
        assertThat(read(store).rows()).hasSize(1);
        return read(store).rows().get(0);
    }

    /**
     * Asserts that a write is certain.
     * @param reply the reply to it
     * @param rows how many rows it has changed
     */
    public static void assertWritten(LeaseReply reply, int rows) {
        assertThat(reply).isEqualTo(new Written(rows));
    }

    /**
     * Asserts that the clock of the store is that of this machine, give or take 5 s: a
     * start warns of a clock that is wrong.
     * @param rows what the store has answered
     */
    public static void assertClock(Rows rows) {
        long now = TimeSource.system().epochNanos() / 1_000_000;
        assertThat(rows.databaseMillis()).isBetween(now - 5_000, now + 5_000);
    }

    /** Which stores a check is for. */
    private enum Guards {

        ANY, NEEDED, ABSENT

    }

}
