package io.shardedid.internal.lease;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerIdRange;
import io.shardedid.internal.MessageText;

/** Puts into words who has the worker ids, and how there can be more of them. */
final class LeaseOwners {

    /** How many owners a message names: a layout may have thousands. */
    private static final int NAMED = 5;

    private static final List<String> FOR_MANY_PROCESSES = List.of("standard", "many-processes");

    private final IdLayout layout;

    private final LeaseSettings settings;

    /** The worker ids of this lease table. */
    private final WorkerIdRange available;

    /** Those that this process would take. */
    private final WorkerIdRange wanted;

    LeaseOwners(IdLayout layout, LeaseSettings settings) {
        this.layout = layout;
        this.settings = settings;
        this.available = LeaseRules.of(settings).available(layout);
        this.wanted = LeaseRules.of(settings).considered(layout);
    }

    /** Why no row can be taken, and when the first can. */
    String taken(LeaseReply.Rows rows, List<WorkerHolding> holders) {
        Instant soonest = rows.rows()
            .stream()
            .filter((row) -> this.wanted.contains(row.worker()))
            .map((row) -> latest(Instant.ofEpochMilli(row.leaseUntilMillis()),
                    this.layout.instantAt(Math.min(row.hwmTick(), this.layout.lastTick()))))
            .min(Comparator.naturalOrder())
            .orElse(Instant.MAX);
        String who = this.settings.workerId().isPresent()
                ? "another process has leased worker id %s".formatted(this.settings.workerId().getAsInt())
                : "all %s are leased (%s)".formatted(this.available.size(), bound());
        return "%s; stop idle processes, or wait: the first can be had at %s (database clock; 'shardedid.worker.lease.window' is %s). Owners: %s"
            .formatted(who, soonest, MessageText.duration(this.settings.window()), owners(holders));
    }

    private static Instant latest(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    /** The owners in the way, by the end of their leases. */
    private String owners(List<WorkerHolding> holders) {
        List<WorkerHolding> owners = holders.stream()
            .filter((holding) -> holding.state() == WorkerHolding.State.HELD && this.wanted.contains(holding.worker()))
            .sorted(Comparator.comparing(WorkerHolding::until).thenComparing(WorkerHolding::worker))
            .toList();
        String named = owners.stream()
            .limit(NAMED)
            .map((holding) -> "%s: %s until %s".formatted(holding.worker(), holding.owner(), holding.until()))
            .collect(Collectors.joining(", "));
        if (owners.size() > NAMED) {
            return "%s and %s more".formatted(named, owners.size() - NAMED);
        }
        return owners.isEmpty() ? "none" : named;
    }

    /** What sets how many there are. */
    private String bound() {
        return (this.settings.workerIds() != null) ? "worker-ids=" + this.available
                : "worker-bits=" + this.layout.workerBits();
    }

    /** Says how processes that make ids get more worker ids. */
    String moreRoom() {
        if (this.settings.workerIds() != null) {
            return "give more worker ids to this lease table ('inspector change --from')";
        }
        int workers = LeaseRules.workers(this.layout);
        String presets = FOR_MANY_PROCESSES.stream()
            .filter((preset) -> LeaseRules.workers(IdLayout.preset(preset)) > workers)
            .map((preset) -> "'%s' (%s processes)".formatted(preset, LeaseRules.workers(IdLayout.preset(preset))))
            .collect(Collectors.joining(" or "));
        return ("set 'shardedid.worker.lease.acquire=first-use' where few or no rows are inserted, or choose %s before "
                + "the first row exists")
            .formatted(
                    presets.isEmpty() ? "more 'shardedid.layout.worker-bits'" : "'shardedid.layout.preset' " + presets);
    }

    /**
     * Warns that few worker ids are left. A process with a worker id of its own needs no
     * other.
     * @param mine that of this process, which holds it
     * @return a text, or an empty one
     */
    String fewLeft(int mine, List<WorkerHolding> holders) {
        long leased = 1 + holders.stream()
            .filter((each) -> each.state() == WorkerHolding.State.HELD && each.worker() != mine
                    && this.available.contains(each.worker()))
            .count();
        return (this.settings.workerId().isPresent() || 4 * leased <= 3L * this.available.size()) ? ""
                : "%s of the %s worker ids of namespace '%s' are leased (%s); before the last one is taken, %s"
                    .formatted(leased, this.available.size(), this.settings.namespace(), bound(), moreRoom());
    }

}
