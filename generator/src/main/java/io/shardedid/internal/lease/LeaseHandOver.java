package io.shardedid.internal.lease;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.WorkerIdRange;
import io.shardedid.WorkerLeaseException;
import org.jspecify.annotations.Nullable;

/**
 * Two lease tables whose ids meet: each worker id belongs to one of them. In every other
 * table its row is taken forever and names the table that has it, so that no process gets
 * it there, whatever its configuration says. Both commands can be repeated when they
 * broke off half way.
 * <p>
 * {@link io.shardedid.config.ShardedIdSettings#handOverTo} makes one from two
 * configurations, and the inspector runs it.
 *
 * @param giver the lease table that gives worker ids
 * @param receiver the lease table that gets them
 * @since 0.1
 */
public record LeaseHandOver(Place giver, Place receiver) {

    private static final String BELONGS = "belongs to ";

    private static final String ELSEWHERE = BELONGS + "lease table ";

    private static final String DATABASE = BELONGS + "ids that a database makes";

    /** No process starts there, since its own layout is another one. */
    private static final String HALF = "half made, repeat it: ";

    private static final String AGAIN = "Stop the processes that use these worker ids, and run the command again. "
            + "Nothing was written that a second run could not repeat.";

    /**
     * A lease table and how it is used.
     *
     * @param name what messages call it
     * @param settings the namespace, and whether the store may lose writes
     * @param store the rows of the namespace
     */
    public record Place(String name, LeaseSettings settings, LeaseStore store) {

        @Override
        public String toString() {
            return "%s (%s, namespace '%s')".formatted(this.name, this.store.describe(), this.settings.namespace());
        }

    }

    /**
     * What was handed over.
     *
     * @param workers which worker ids
     * @param first when the leases of the receiver begin at the earliest
     */
    public record Given(WorkerIdRange workers, Instant first) {
    }

    /**
     * Returns whether a row was taken forever because another lease table has its worker
     * id, or the ids that a database makes.
     * @param row the row of a worker id
     * @return whether that is so
     */
    public static boolean elsewhere(LeaseRow row) {
        return row.owner() != null && row.owner().startsWith(BELONGS) && row.leaseUntilMillis() == LayoutChange.FOREVER;
    }

    /** The worker ids that other lease tables have, for a message. */
    static Optional<String> elsewhere(LeaseReply.Rows rows) {
        List<LeaseRow> elsewhere = rows.rows().stream().filter(LeaseHandOver::elsewhere).toList();
        return elsewhere.isEmpty() ? Optional.empty() : Optional.of(shown(elsewhere));
    }

    private static String shown(List<LeaseRow> rows) {
        return rows.stream().map((row) -> String.valueOf(row.worker())).collect(Collectors.joining(", "));
    }

    /** Refuses the start of a process that would ask for a worker id of another table. */
    static void requireHere(LeaseReply.Rows rows, WorkerIdRange asked, String namespace) {
        List<LeaseRow> elsewhere = rows.rows()
            .stream()
            .filter((row) -> asked.contains(row.worker()) && elsewhere(row))
            .toList();
        if (!elsewhere.isEmpty()) {
            throw new ShardedIdConfigurationException(
                    ("Could not lease a worker id: worker ids of namespace '%s' belong to another lease table: "
                            + "shardedid.worker.lease.worker-ids=%s, elsewhere=%s")
                        .formatted(namespace, asked, shown(elsewhere)),
                    "let 'shardedid.worker.lease.worker-ids' name those of this lease table alone, or hand the others "
                            + "over to it ('hand-over' of the inspector)",
                    "shardedid.worker.lease.worker-ids");
        }
    }

    /**
     * Makes the lease table of the receiver, which has no worker id yet: each of them
     * belongs to the table of the giver, or to the one that this one says. May be
     * repeated until the receiver has one.
     * @return which worker ids there are
     * @throws ShardedIdConfigurationException if the receiver has worker ids already
     * @throws WorkerLeaseException if a store did not answer
     */
    public WorkerIdRange make() {
        try (LeaseStore first = this.giver.store(); LeaseStore second = this.receiver.store()) {
            first.ensure();
            second.ensure();
            LeaseReply.Rows before = at(this.giver).read();
            LeaseRow layout = layout(before, this.giver);
            PlaceRows fresh = at(this.receiver);
            LeaseReply.Rows after = fresh.read();
            LeaseRow there = after.row(LeaseRow.LAYOUT).orElse(null);
            String half = HALF + layout.layout();
            boolean made = there != null && (half.equals(there.layout()) || half.equals(HALF + there.layout()))
                    && after.rows().stream().allMatch((row) -> row == there || elsewhere(row));
            if (!made && !after.rows().isEmpty()) {
                throw refused(
                        "the lease table of the receiver is in use: layout=[%s], rows=%s"
                            .formatted((there != null) ? there.layout() : null, after.rows().size()),
                        "take a table without rows of this namespace");
            }
            String token = (there != null) ? there.token() : UUID.randomUUID().toString();
            if (there == null) {
                fresh.write(new LeaseStatement.Insert(
                        new LeaseRow(LeaseRow.LAYOUT, token, 0, 0, layout.hwmTick(), null, half), null));
            }
            int workers = LeaseRules.workers(LayoutChange.layout(String.valueOf(layout.layout())));
            for (int worker = 0; worker < workers; worker++) {
                if (after.row(worker).isEmpty()) {
                    String owner = before.row(worker)
                        .filter(LeaseHandOver::elsewhere)
                        .map(LeaseRow::owner)
                        .orElse(ELSEWHERE + layout.token());
                    fresh.write(new LeaseStatement.Insert(
                            new LeaseRow(worker, UUID.randomUUID().toString(), 0, LayoutChange.FOREVER, 0, owner, null),
                            null));
                }
            }
            fresh.write(new LeaseStatement.Update(LeaseRow.LAYOUT, token, layout.hwmTick(), token, 0, 0,
                    layout.hwmTick(), null, layout.layout(), null));
            return new WorkerIdRange(0, workers - 1);
        }
    }

    /**
     * Gives worker ids to the receiver. The processes of the giver must have been started
     * with settings that leave them out: a failover of the giver may forget what is
     * written here.
     * @param workers which worker ids
     * @return what was given
     * @throws ShardedIdConfigurationException if they do not belong to the giver, or the
     * tables do not belong together
     * @throws WorkerLeaseException if a process still holds one of them, or a store did
     * not answer
     */
    public Given give(WorkerIdRange workers) {
        try (LeaseStore from = this.giver.store(); LeaseStore to = this.receiver.store()) {
            from.ensure();
            to.ensure();
            LeaseReply.Rows before = at(this.giver).read();
            LeaseRow here = layout(before, this.giver);
            LeaseReply.Rows after = at(this.receiver).read();
            LeaseRow there = layout(after, this.receiver);
            if (here.token().equals(there.token())) {
                throw refused("both configurations lead to one lease table, or one is a copy of the other: identity="
                        + here.token(), "name two tables, the second one made by 'add-lease-table'");
            }
            if (!String.valueOf(here.layout()).equals(there.layout())) {
                throw refused("the two make ids by different layouts: giver=[%s], receiver=[%s]"
                    .formatted(here.layout(), there.layout()), "give both the same 'shardedid.*' settings");
            }
            IdLayout ids = LayoutChange.layout(String.valueOf(here.layout()));
            String taken = ELSEWHERE + there.token();
            List<Integer> left = workers.all()
                .filter((worker) -> !isGiven(before, after, worker, taken))
                .boxed()
                .toList();
            for (int worker : left) {
                requireOver(before, worker, taken, requireTaken(after, worker), ELSEWHERE + here.token());
            }
            long first = workers.all().mapToLong((worker) -> mark(after, worker)).max().orElseThrow();
            for (int worker : left) {
                first = Math.max(first, give(before, after, worker, taken, begin(before, after, worker, ids)));
            }
            return new Given(workers, ids.instantAt(Math.min(first, ids.lastTick())));
        }
    }

    /**
     * Takes worker ids from their lease table, and so from all of them, for ids that
     * databases make. It cannot be taken back.
     * @param giver the lease table that has them
     * @param workers which worker ids
     * @return what was given; no database may make ids with them before that time by its
     * clock
     * @throws ShardedIdConfigurationException if they do not belong to that table
     * @throws WorkerLeaseException if a process still holds one of them, or the store did
     * not answer
     */
    public static Given giveToDatabase(Place giver, WorkerIdRange workers) {
        LeaseHandOver here = new LeaseHandOver(giver, giver);
        try (LeaseStore from = giver.store()) {
            from.ensure();
            LeaseReply.Rows rows = here.at(giver).read();
            IdLayout ids = LayoutChange.layout(String.valueOf(here.layout(rows, giver).layout()));
            workers.all().forEach((worker) -> here.requireOver(rows, worker, DATABASE, null, ""));
            workers.all().forEach((worker) -> here.take(rows, worker, DATABASE));
            long highest = workers.all().mapToLong((worker) -> mark(rows, worker)).max().orElseThrow();
            long first = LeaseRules.of(giver.settings()).end(rows, highest, ids, from.durability());
            return new Given(workers, ids.instantAt(Math.min(first, ids.lastTick())));
        }
    }

    private PlaceRows at(Place place) {
        return new PlaceRows(place, what(), AGAIN);
    }

    private String what() {
        return "hand worker ids over from %s to %s".formatted(this.giver,
                (this.giver != this.receiver) ? this.receiver : "ids that a database makes");
    }

    private LeaseRow layout(LeaseReply.Rows rows, Place place) {
        LeaseRow layout = rows.row(LeaseRow.LAYOUT)
            .orElseThrow(() -> refused("there is no lease table of the namespace at " + place,
                    "make it by 'add-lease-table', or correct the configuration"));
        if (String.valueOf(layout.layout()).startsWith(HALF)) {
            throw refused("the lease table at %s is half made".formatted(place), "repeat 'add-lease-table'");
        }
        return layout;
    }

    /**
     * By a run that broke off after it, or never taken from the receiver, which may have
     * no row of it.
     */
    private static boolean isGiven(LeaseReply.Rows before, LeaseReply.Rows after, int worker, String taken) {
        return before.row(worker).filter((row) -> isTaken(row, taken)).isPresent()
                && after.row(worker).filter(LeaseHandOver::elsewhere).isEmpty();
    }

    private static boolean isTaken(LeaseRow row, String taken) {
        return elsewhere(row) && taken.equals(row.owner());
    }

    /**
     * A row that is taken already may name this receiver because a run broke off. It does
     * if it is younger than the receiver's row, since with each step of its way a worker
     * id counts one acquisition more; or if the receiver's row names the giver, which a
     * run turns back to. Any other row tells of a hand-over of long ago.
     */
    private void requireOver(LeaseReply.Rows rows, int worker, String taken, @Nullable LeaseRow there, String here) {
        LeaseRow row = rows.row(worker).orElse(null);
        if (row == null || isTaken(row, taken)
                && (there == null || row.acquisitions() > there.acquisitions() || isTaken(there, here))) {
            return;
        }
        if (row.leaseUntilMillis() == LayoutChange.FOREVER) {
            throw refused("worker id %s does not belong to the giver: %s".formatted(worker, row.shownOwner()),
                    "name a worker id of the giver");
        }
        long over = row.leaseUntilMillis() + LeaseRules.of(this.giver.settings()).behindMillis(row);
        if (row.leaseUntilMillis() != 0 && over >= rows.databaseMillis()) {
            throw new WorkerLeaseException(
                    ("Could not %s: the lease of worker id %s has not run out (%s until %s, on the clock of the giver); "
                            + "start its processes with 'shardedid.worker.lease.worker-ids' that leave it out, and wait "
                            + "until then")
                        .formatted(what(), worker, row.shownOwner(), Instant.ofEpochMilli(over)),
                    true, AGAIN, null);
        }
    }

    /** Returns the receiver's row, which another table has now. */
    private LeaseRow requireTaken(LeaseReply.Rows rows, int worker) {
        LeaseRow row = rows.row(worker)
            .orElseThrow(() -> refused("the receiver has no row of worker id " + worker,
                    "name a worker id of the layout, and make the table of the receiver by 'add-lease-table'"));
        if (!elsewhere(row)) {
            throw refused("worker id %s belongs to the receiver: %s".formatted(worker, row.shownOwner()),
                    "name a worker id of the giver");
        }
        return row;
    }

    private static long mark(LeaseReply.Rows rows, int worker) {
        return rows.row(worker).map(LeaseRow::hwmTick).orElse(0L);
    }

    /** Whatever the two have forgotten or their clocks say, the receiver begins here. */
    private long begin(LeaseReply.Rows before, LeaseReply.Rows after, int worker, IdLayout ids) {
        long had = mark(after, worker);
        long begin = Math.max(had, LeaseRules.of(this.giver.settings())
            .end(before, mark(before, worker), ids, this.giver.store().durability()));
        return after.rows().stream().anyMatch(LeaseRow::tolerant) ? Math.max(begin,
                LeaseRules.of(this.receiver.settings()).end(after, had, ids, this.receiver.store().durability()))
                : begin;
    }

    /**
     * The giver first: between the two writes nobody has the worker id. A process that
     * sleeps there with the lease finds that another acquisition came after its own.
     */
    private long give(LeaseReply.Rows before, LeaseReply.Rows after, int worker, String taken, long begin) {
        long acquisitions = take(before, worker, taken);
        LeaseRow there = after.row(worker).orElseThrow();
        at(this.receiver)
            .write(new LeaseStatement.Update(worker, there.token(), there.hwmTick(), UUID.randomUUID().toString(),
                    Math.toIntExact(Math.max(0, acquisitions - there.acquisitions()) + 1), 0, begin, null, null, null));
        return begin;
    }

    /**
     * Returns the acquisitions of the giver's row, which is written also where it is
     * taken already: a write of the run that broke off may still arrive, and finds
     * another token.
     */
    private long take(LeaseReply.Rows before, int worker, String taken) {
        LeaseRow row = before.row(worker).orElse(null);
        PlaceRows here = at(this.giver);
        String token = UUID.randomUUID().toString();
        if (row == null) {
            here.write(new LeaseStatement.Insert(new LeaseRow(worker, token, 1, LayoutChange.FOREVER, 0, taken, null),
                    null));
            return 1;
        }
        here.write(new LeaseStatement.Update(worker, row.token(), row.hwmTick(), token, 1, LayoutChange.FOREVER,
                row.hwmTick(), taken, row.layout(), null));
        return row.acquisitions() + 1;
    }

    private ShardedIdConfigurationException refused(String why, String remedy) {
        return new ShardedIdConfigurationException("Could not %s: %s".formatted(what(), why), remedy);
    }

}
