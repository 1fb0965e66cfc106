package io.shardedid.internal.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.IdRangeExhaustedException;
import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdException;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerIdRange;
import io.shardedid.WorkerLease;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.MessageText;
import org.jspecify.annotations.Nullable;

/**
 * Puts into words why there is no lease.
 */
final class LeaseRefusal {

    /** How many owners a message names: a layout may have thousands. */
    private static final int NAMED = 5;

    private static final List<String> FOR_MANY_PROCESSES = List.of("standard", "many-processes");

    private final EngineTerms terms;

    private final LeaseSettings leaseSettings;

    LeaseRefusal(EngineTerms terms, LeaseSettings leaseSettings) {
        this.terms = terms;
        this.leaseSettings = leaseSettings;
    }

    ShardedIdException of(LeaseSnapshot report, long now) {
        LeaseState state = report.state();
        String text = state.text();
        if (text != null) {
            return new WorkerLeaseException(
                    text.formatted(this.leaseSettings.namespace(), report.detail(),
                            LayoutText.of(this.terms, this.leaseSettings), MessageText.duration(LeaseRules.FORGOTTEN)),
                    state.passes(), String.valueOf(state.action()), null);
        }
        return switch (state) {
            case TAKEN ->
                new WorkerLeaseException(exhausted(report), true,
                        "Stop processes that are not needed, or wait until the lease of a killed one has expired "
                                + "('shardedid.worker.lease.window'). If that is not enough, " + moreRoom() + ".",
                        null);
            case RANGE_EXHAUSTED -> rangeExhausted(this.terms);
            default -> expiredLease(report, now);
        };
    }

    /** What the store refuses for good does not go away by waiting. */
    private WorkerLeaseException expiredLease(LeaseSnapshot report, long now) {
        String message = spent(report, now);
        return (report.failure() instanceof ShardedIdException refused && report.refused())
                ? new WorkerLeaseException(message, false, refused.action(), refused)
                : new WorkerLeaseException(message, report.failure());
    }

    /** What the store or the settings refuse says all by itself. */
    ShardedIdException ofStart(LeaseSnapshot report) {
        Exception failure = report.failure();
        String reason = Thread.currentThread().isInterrupted() ? "the start was interrupted"
                : (failure != null) ? oneLine(failure.getMessage()) : "the store answers slowly";
        return (failure instanceof ShardedIdException refused) ? refused : new WorkerLeaseException(
                ("Could not lease a worker id: the layout row of namespace '%s' is not known yet (%s): "
                        + "shardedid.worker.lease.startup-timeout=%s; see whether the store of the leases is up, or "
                        + "set a longer 'shardedid.worker.lease.startup-timeout'")
                    .formatted(this.leaseSettings.namespace(), reason,
                            MessageText.duration(this.leaseSettings.startupTimeout())),
                failure);
    }

    WorkerLeaseException layoutRowNotShown(int attempts, @Nullable Exception refused) {
        return new WorkerLeaseException(
                ("Could not lease a worker id: the store of the leases does not take the layout row, or does not show it: "
                        + "namespace=%s, worker id=%s, attempts=%s (%s); compare the lease table with its script")
                    .formatted(this.leaseSettings.namespace(), LeaseRow.LAYOUT, attempts,
                            (refused != null) ? oneLine(refused.getMessage()) : "no write was refused"),
                false, "Let the store take and show each row of this namespace. No id was made.", refused);
    }

    WorkerLeaseException skewed(Duration databaseAhead) {
        return new WorkerLeaseException(
                ("Could not lease a worker id: the clock of the database is %s the clock of this machine "
                        + "(shardedid.clock.max-skew=%s); correct the clock that is wrong")
                    .formatted(LeaseTiming.aheadOrBehind(databaseAhead),
                            MessageText.duration(this.leaseSettings.maxSkew())),
                true, "Correct the clock of this machine or that of the database, and start again.", null);
    }

    static IdRangeExhaustedException rangeExhausted(EngineTerms terms) {
        return new IdRangeExhaustedException(
                ("Could not make an id: the time range of the layout is used up: epoch=%s, last "
                        + "usable instant=%s; move to a layout with more time bits or a later epoch, see %s")
                    .formatted(terms.layout().epoch(), terms.layout().lastUsableInstant(), MessageText.OTHER_LAYOUT));
    }

    private String exhausted(LeaseSnapshot report) {
        String owners = owners(report.holders());
        if (this.leaseSettings.workerId().isPresent()) {
            return ("Could not lease worker id %s of namespace '%s': another process has leased it (%s); stop that "
                    + "process, or wait for 'shardedid.worker.lease.window' (%s)")
                .formatted(this.leaseSettings.workerId().getAsInt(), this.leaseSettings.namespace(), owners,
                        MessageText.duration(this.leaseSettings.window()));
        }
        return ("Could not lease a worker id: all %s of namespace '%s' are leased (%s); stop idle processes, "
                + "or wait for 'shardedid.worker.lease.window' (%s); if that is not enough, %s. Owners: %s")
            .formatted(available().size(), this.leaseSettings.namespace(), bound(),
                    MessageText.duration(this.leaseSettings.window()), moreRoom(), owners);
    }

    /** Says how processes that make ids get more worker ids. */
    private String moreRoom() {
        if (this.leaseSettings.workerIds() != null) {
            return "give more worker ids to this lease table ('inspector change --from')";
        }
        int workers = LeaseRules.workers(this.terms.layout());
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
     * Says that few worker ids are left.
     * @param leased how many are leased, that of this process included
     */
    String fewLeft(long leased) {
        return "%s of the %s worker ids of namespace '%s' are leased (%s); before the last one is taken, %s"
            .formatted(leased, available().size(), this.leaseSettings.namespace(), bound(), moreRoom());
    }

    /** Says in one line of the log why no row can be taken, and when the first can. */
    String taken(LeaseReply.Rows rows, List<WorkerHolding> holders) {
        IdLayout layout = this.terms.layout();
        Instant soonest = rows.rows()
            .stream()
            .filter((row) -> wanted(row.worker()))
            .map((row) -> latest(Instant.ofEpochMilli(row.leaseUntilMillis()),
                    layout.instantAt(Math.min(row.hwmTick(), layout.lastTick()))))
            .min(Comparator.naturalOrder())
            .orElse(Instant.MAX);
        String who = this.leaseSettings.workerId().isPresent()
                ? "worker id %s is taken".formatted(this.leaseSettings.workerId().getAsInt())
                : "all %s are taken".formatted(available().size());
        return "%s, the first can be had at %s (database clock); owners: %s".formatted(who, soonest, owners(holders));
    }

    private static Instant latest(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    /** The owners in the way, by the end of their leases. */
    private String owners(List<WorkerHolding> holders) {
        List<WorkerHolding> owners = holders.stream()
            .filter((holding) -> holding.state() == WorkerHolding.State.HELD && wanted(holding.worker()))
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

    /** Whether a row is one of those that this process would take. */
    private boolean wanted(int worker) {
        return LeaseRules.of(this.leaseSettings).considered(this.terms.layout()).contains(worker);
    }

    private WorkerIdRange available() {
        return LeaseRules.of(this.leaseSettings).available(this.terms.layout());
    }

    /** What sets how many there are. */
    private String bound() {
        return (this.leaseSettings.workerIds() != null) ? "worker-ids=" + available()
                : "worker-bits=" + this.terms.layout().workerBits();
    }

    private String spent(LeaseSnapshot report, long now) {
        WorkerLease lease = report.lease();
        String failure = (report.failure() != null) ? ", last attempt failed %s ms ago (%s)".formatted(
                Duration.ofNanos(now - report.failureNanos()).toMillis(), oneLine(report.failure().getMessage())) : "";
        String wayOut = report.refused() ? "no id is made until that is done"
                : "no ids until the store of the leases answers; the transaction can be retried";
        if (lease == null) {
            return "No worker lease: namespace='%s'%s; %s".formatted(this.leaseSettings.namespace(), failure, wayOut);
        }
        return switch (report.state()) {
            case LOST -> "Worker lease lost: worker=%s, because %s%s; another worker id is being acquired"
                .formatted(lease.worker(), report.detail(), failure);
            case RELEASED -> "Worker lease given back: worker=%s; generation waits until the process resumes"
                .formatted(lease.worker());
            default -> "Worker lease expired at %s: worker=%s%s; %s".formatted(expiredAt(report), lease.worker(),
                    failure, wayOut);
        };
    }

    /**
     * When ids stopped, a little before the row could be taken; "its end" without a
     * lease.
     */
    String expiredAt(LeaseSnapshot report) {
        WorkerLease lease = report.lease();
        return (lease != null) ? LeaseTiming.lastIds(lease.until(), this.leaseSettings.window()).toString() : "its end";
    }

    /** Drivers add the statement below. */
    static String oneLine(@Nullable String text) {
        return String.valueOf(text).lines().findFirst().orElse("");
    }

}
