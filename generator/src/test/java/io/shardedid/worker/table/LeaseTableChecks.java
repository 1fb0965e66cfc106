package io.shardedid.worker.table;

import java.util.List;

import io.shardedid.worker.LeaseReply;
import io.shardedid.worker.LeaseReply.DuplicateKey;
import io.shardedid.worker.LeaseReply.Rows;
import io.shardedid.worker.LeaseReply.Written;
import io.shardedid.worker.LeaseRow;
import io.shardedid.worker.LeaseStatement.Guard;
import io.shardedid.worker.LeaseStatement.Insert;
import io.shardedid.worker.LeaseStatement.ReadAll;
import io.shardedid.worker.LeaseStatement.ReadOne;
import io.shardedid.worker.LeaseStatement.Update;
import io.shardedid.worker.LeaseTable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What every lease table must do, each check on an empty table. Also run against tables
 * that are broken on purpose.
 */
enum LeaseTableChecks {

    TELLS_ITS_CLOCK_WITHOUT_ROWS {

        @Override
        void run(LeaseTable table, LeaseTable ignored) {
            assertClock(read(table));
            assertThat(read(table).rows()).isEmpty();
            assertClock((Rows) table.execute(new ReadOne(3)));
        }

    },

    READS_WHAT_WAS_INSERTED {

        @Override
        void run(LeaseTable table, LeaseTable ignored) {
            LeaseRow two = new LeaseRow(2, "t2", 7, Long.MAX_VALUE, Long.MAX_VALUE - 1, "Zoë's app@host:1 \\ \" 中😀",
                    null);
            LeaseRow layout = new LeaseRow(LeaseRow.LAYOUT, "database", 0, 0, 12, null, "epoch=2025;tick=1ms");
            LeaseRow zero = new LeaseRow(0, "t0", 0, -1, 0, null, null);
            List.of(two, layout, zero).forEach((row) -> assertWritten(insert(table, row, null), 1));
            assertThat(read(table).rows()).containsExactly(layout, zero, two);
            assertClock(read(table));
            assertThat(((Rows) table.execute(new ReadOne(2))).rows()).containsExactly(two);
        }

    },

    REFUSES_A_SECOND_ROW {

        @Override
        void run(LeaseTable table, LeaseTable ignored) {
            assertWritten(insert(table, row(1, "mine"), null), 1);
            assertThat(insert(table, row(1, "yours"), null)).isInstanceOf(DuplicateKey.class);
            assertThat(only(table).token()).isEqualTo("mine");
        }

    },

    INSERTS_NOTHING_WHEN_IT_IS_TOO_LATE {

        @Override
        void run(LeaseTable table, LeaseTable ignored) {
            long now = read(table).databaseMillis();
            assertWritten(insert(table, row(1, "late"), now - 1), 0);
            assertThat(read(table).rows()).isEmpty();
            assertWritten(insert(table, row(1, "in time"), now + 60_000), 1);
        }

    },

    CHANGES_ALL_THAT_AN_UPDATE_NAMES {

        @Override
        void run(LeaseTable table, LeaseTable ignored) {
            insert(table, new LeaseRow(1, "a", 5, 10, 20, "me", null), null);
            insert(table, new LeaseRow(2, "a", 5, 10, 20, "me", null), null);
            assertWritten(table.execute(new Update(1, "a", 20, "b", 1, 11, 21, "you", null)), 1);
            assertThat(read(table).rows()).containsExactly(new LeaseRow(1, "b", 6, 11, 21, "you", null),
                    new LeaseRow(2, "a", 5, 10, 20, "me", null));
            assertWritten(table.execute(new Update(1, "b", 21, "c", 0, 0, 3, null, null)), 1);
            assertThat(read(table).rows().get(0)).isEqualTo(new LeaseRow(1, "c", 6, 0, 3, null, null));
        }

    },

    UPDATES_UNDER_THE_SEEN_TOKEN_ONLY {

        @Override
        void run(LeaseTable table, LeaseTable ignored) {
            insert(table, row(1, "a"), null);
            assertWritten(table.execute(new Update(1, "b", Long.MAX_VALUE, "c", 1, 1, 1, null, null)), 0);
            assertWritten(table.execute(new Update(1, "A", Long.MAX_VALUE, "c", 1, 1, 1, null, null)), 0);
            assertThat(only(table)).isEqualTo(row(1, "a"));
        }

    },

    UPDATES_BELOW_THE_MARK_ONLY {

        @Override
        void run(LeaseTable table, LeaseTable ignored) {
            insert(table, new LeaseRow(1, "a", 0, 0, 100, null, null), null);
            assertWritten(table.execute(new Update(1, "a", 99, "b", 1, 1, 200, null, null)), 0);
            assertWritten(table.execute(new Update(1, "a", 100, "b", 1, 1, 200, null, null)), 1);
        }

    },

    UPDATES_IN_TIME_ONLY {

        @Override
        void run(LeaseTable table, LeaseTable ignored) {
            long now = read(table).databaseMillis();
            insert(table, row(1, "a"), null);
            assertWritten(update(table, "a", "b", new Guard(now - 1, false)), 0);
            assertWritten(update(table, "a", "b", new Guard(now + 60_000, false)), 1);
        }

    },

    UPDATES_WHILE_LEASED_ONLY {

        @Override
        void run(LeaseTable table, LeaseTable ignored) {
            long now = read(table).databaseMillis();
            insert(table, new LeaseRow(1, "a", 0, now - 1, 0, null, null), null);
            Guard guard = new Guard(now + 60_000, true);
            assertWritten(update(table, "a", "b", guard), 0);
            assertWritten(table.execute(new Update(1, "a", 0, "b", 1, now + 60_000, 0, null, null)), 1);
            assertWritten(update(table, "b", "c", new Guard(now - 1, true)), 0);
            assertWritten(update(table, "b", "c", guard), 1);
        }

    },

    KEEPS_NAMESPACES_APART {

        @Override
        void run(LeaseTable table, LeaseTable other) {
            insert(table, row(1, "a"), null);
            assertThat(read(other).rows()).isEmpty();
            assertWritten(update(other, "a", "b", null), 0);
            assertWritten(insert(other, row(1, "a"), null), 1);
            assertWritten(update(other, "a", "b", null), 1);
            assertThat(only(table).token()).isEqualTo("a");
        }

    };

    /**
     * Runs the check.
     * @param table a table without rows
     * @param other the same table, of a namespace that differs in case only
     */
    abstract void run(LeaseTable table, LeaseTable other);

    private static LeaseRow row(int worker, String token) {
        return new LeaseRow(worker, token, 0, 0, 0, null, null);
    }

    private static LeaseReply insert(LeaseTable table, LeaseRow row, Long latestMillis) {
        return table.execute(new Insert(row, latestMillis));
    }

    private static LeaseReply update(LeaseTable table, String seen, String token, Guard guard) {
        return table.execute(new Update(1, seen, 0, token, 0, 0, 0, null, guard));
    }

    static Rows read(LeaseTable table) {
        LeaseReply reply = table.execute(new ReadAll());
        assertThat(reply).isInstanceOf(Rows.class);
        return (Rows) reply;
    }

    private static LeaseRow only(LeaseTable table) {
        assertThat(read(table).rows()).hasSize(1);
        return read(table).rows().get(0);
    }

    static void assertWritten(LeaseReply reply, int rows) {
        assertThat(reply).isEqualTo(new Written(rows));
    }

    /** The servers of these tests run on this machine's clock. */
    static void assertClock(Rows rows) {
        assertThat(rows.databaseMillis()).isBetween(System.currentTimeMillis() - 5_000,
                System.currentTimeMillis() + 5_000);
    }

}
