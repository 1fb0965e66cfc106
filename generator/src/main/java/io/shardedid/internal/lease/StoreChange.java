package io.shardedid.internal.lease;

import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.WorkerLeaseException;

/**
 * Carries a namespace from one store of leases to another, with the highest mark of the
 * old one: no lease of the new store begins below it, whatever the clocks of the two say.
 * The rows of the old store stay taken forever, so that a process with the old
 * configuration, started by mistake, gets no worker id. It can be repeated when it broke
 * off half way.
 * <p>
 * {@link io.shardedid.config.ShardedIdSettings#storeChangeTo} makes one from two
 * configurations, and the inspector runs it.
 *
 * @param from the store that was used so far
 * @param to the store that is used from here on
 * @since 0.1
 */
public record StoreChange(Place from, Place to) {

    private static final String MOVED = "leases moved to store '";

    /**
     * What the layout row of the new store says until all is written: no process starts
     * there, since its own layout is another one.
     */
    private static final String HALF = "half moved, repeat it: ";

    private static final String AGAIN = "Stop all processes of the application, and run the command again. Nothing was "
            + "written that a second run could not repeat.";

    /**
     * A store and how it is used.
     *
     * @param name the value of {@code shardedid.worker.lease.store}
     * @param settings the namespace, and whether the store may lose writes
     * @param store the rows of the namespace
     */
    public record Place(String name, LeaseSettings settings, LeaseStore store) {

        @Override
        public String toString() {
            return "store '%s' (%s, namespace '%s')".formatted(this.name, this.store.describe(),
                    this.settings.namespace());
        }

    }

    /**
     * What was carried over.
     *
     * @param workers how many worker ids
     * @param first when the new leases begin at the earliest
     */
    public record Carried(int workers, Instant first) {
    }

    /**
     * Returns whether a row was taken forever because its namespace lives elsewhere.
     * @param row the row of a worker id
     * @return whether that is so
     */
    public static boolean moved(LeaseRow row) {
        return row.owner() != null && row.owner().startsWith(MOVED) && row.leaseUntilMillis() == LayoutChange.FOREVER;
    }

    /**
     * Returns the row whose lease runs out last, of those that have not run out.
     * @param rows the rows of a namespace
     * @return the row of a process that may make ids, or empty
     */
    public static Optional<LeaseRow> leased(LeaseReply.Rows rows) {
        return rows.rows()
            .stream()
            .filter((row) -> leased(row, rows.databaseMillis()))
            .max(Comparator.comparingLong(LeaseRow::leaseUntilMillis));
    }

    private static boolean leased(LeaseRow row, long sinceMillis) {
        return row.worker() != LeaseRow.LAYOUT && row.leaseUntilMillis() != 0 && row.leaseUntilMillis() >= sinceMillis
                && !moved(row) && !LeaseHandOver.elsewhere(row);
    }

    /**
     * Carries the namespace over, and closes both stores.
     * @return what was carried over
     * @throws ShardedIdConfigurationException if the new store belongs to another layout
     * @throws WorkerLeaseException if a process still holds a lease, or if a store did
     * not answer
     */
    public Carried carry() {
        try (LeaseStore old = this.from.store(); LeaseStore fresh = this.to.store()) {
            LeaseReply.Rows before = at(this.from).read();
            LeaseRow layout = before.row(LeaseRow.LAYOUT)
                .orElseThrow(
                        () -> refused("the old one has no rows there", "correct the configuration of the old store"));
            requireTolerant(old.durability());
            String fingerprint = whole(layout);
            IdLayout ids = LayoutChange.layout(fingerprint);
            requireWhole(before);
            requireStopped(this.from, before);
            fresh.ensure();
            LeaseReply.Rows after = at(this.to).read();
            requireWhole(after);
            requireStopped(this.to, after);
            requireLayout(after, fingerprint);
            int workers = LeaseRules.workers(ids);
            for (int worker = 0; worker < workers; worker++) {
                close(before, worker);
            }
            long mark = LeaseRules.of(this.from.settings()).end(before, ids, old.durability());
            if (after.rows().stream().anyMatch(LeaseRow::tolerant)) {
                mark = Math.max(mark, LeaseRules.of(this.to.settings()).end(after, ids, fresh.durability()));
            }
            LeaseRow half = begin(after, layout, fingerprint);
            for (int worker = 0; worker < workers; worker++) {
                open(after, worker, mark);
            }
            at(this.to).write(new LeaseStatement.Update(LeaseRow.LAYOUT, half.token(), half.hwmTick(), half.token(), 0,
                    0, half.hwmTick(), null, fingerprint, null));
            return new Carried(workers, ids.instantAt(Math.min(mark, ids.lastTick())));
        }
    }

    /** What the layout row says when nothing is half done. */
    private static String whole(LeaseRow layout) {
        String text = String.valueOf(layout.layout());
        return text.startsWith(HALF) ? text.substring(HALF.length()) : text;
    }

    /** The mark of each table would have to be above those of all others. */
    private void requireWhole(LeaseReply.Rows rows) {
        LeaseHandOver.elsewhere(rows).ifPresent((workers) -> {
            throw refused("worker ids %s belong to another lease table".formatted(workers),
                    "hand the worker ids of all tables over to one of them first");
        });
    }

    private void requireStopped(Place place, LeaseReply.Rows rows) {
        LeaseSettings terms = place.settings();
        String holders = rows.rows()
            .stream()
            .filter((row) -> leased(row, rows.databaseMillis() - LeaseRules.of(terms).behindMillis(row)))
            .map((row) -> "%s: %s until %s".formatted(row.worker(), row.shownOwner(),
                    Instant.ofEpochMilli(row.leaseUntilMillis()).plusMillis(LeaseRules.of(terms).behindMillis(row))))
            .collect(Collectors.joining(", "));
        if (!holders.isEmpty()) {
            throw new WorkerLeaseException(
                    ("Could not move leases from %s to %s: leases of the store '%s' have not run out (%s, on its clock); "
                            + "stop these processes, and wait until then")
                        .formatted(this.from, this.to, place.name(), holders),
                    true, AGAIN, null);
        }
    }

    /**
     * The settings of the old store have to be those of its processes: without this one,
     * promoted-clock-behind, on which the mark depends, is not theirs either.
     */
    private void requireTolerant(Durability durability) {
        if (durability == Durability.MAY_BE_LOST && !this.from.settings().tolerateLostCommits()) {
            throw refused(
                    "the old one may lose writes that it has acknowledged, and no process leases there with its "
                            + "configuration: shardedid.worker.lease.tolerate-lost-commits=false",
                    "add to it 'shardedid.worker.lease.tolerate-lost-commits=true', and "
                            + "'shardedid.worker.lease.promoted-clock-behind' if the processes had it");
        }
    }

    private void requireLayout(LeaseReply.Rows after, String fingerprint) {
        LeaseRow there = after.row(LeaseRow.LAYOUT).orElse(null);
        if (there != null && !whole(there).equals(fingerprint)) {
            throw refused("the new one makes ids by another layout: old=[%s], new=[%s]".formatted(fingerprint,
                    there.layout()), "take another 'shardedid.worker.lease.namespace' in the new store");
        }
    }

    private void close(LeaseReply.Rows rows, int worker) {
        String owner = MOVED + this.to.name() + "'";
        String token = UUID.randomUUID().toString();
        at(this.from).write(rows.row(worker)
            .<LeaseStatement>map((row) -> new LeaseStatement.Update(worker, row.token(), row.hwmTick(), token, 0,
                    LayoutChange.FOREVER, row.hwmTick(), owner, row.layout(), null))
            .orElseGet(() -> new LeaseStatement.Insert(
                    new LeaseRow(worker, token, 0, LayoutChange.FOREVER, 0, owner, null), null)));
    }

    /** The time of the very first lease stays what it was: older ids are older. */
    private LeaseRow begin(LeaseReply.Rows rows, LeaseRow layout, String fingerprint) {
        LeaseRow known = rows.row(LeaseRow.LAYOUT).orElse(null);
        LeaseRow half = new LeaseRow(LeaseRow.LAYOUT, (known != null) ? known.token() : UUID.randomUUID().toString(), 0,
                0, (known != null) ? Math.min(known.hwmTick(), layout.hwmTick()) : layout.hwmTick(), null,
                HALF + fingerprint);
        at(this.to).write((known != null) ? new LeaseStatement.Update(LeaseRow.LAYOUT, known.token(), known.hwmTick(),
                half.token(), 0, 0, half.hwmTick(), null, half.layout(), null) : new LeaseStatement.Insert(half, null));
        return half;
    }

    /** Each worker id, since one without a row would be leased from now on. */
    private void open(LeaseReply.Rows rows, int worker, long mark) {
        String token = UUID.randomUUID().toString();
        at(this.to).write(rows.row(worker)
            .<LeaseStatement>map((row) -> new LeaseStatement.Update(worker, row.token(), row.hwmTick(), token, 0, 0,
                    Math.max(row.hwmTick(), mark), null, null, null))
            .orElseGet(() -> new LeaseStatement.Insert(new LeaseRow(worker, token, 0, 0, mark, null, null), null)));
    }

    private PlaceRows at(Place place) {
        return new PlaceRows(place, "move leases from %s to %s".formatted(this.from, this.to), AGAIN);
    }

    private ShardedIdConfigurationException refused(String why, String remedy) {
        return new ShardedIdConfigurationException(
                "Could not move leases from %s to %s: %s".formatted(this.from, this.to, why), remedy);
    }

}
