package io.shardedid.internal.lease;

import java.util.ArrayList;
import java.util.List;

import io.shardedid.LeaseSettings;
import org.jspecify.annotations.Nullable;

/** The rows and statements as a protocol without a guard would see and send them. */
final class RemovedGuardViews {

    static LeaseStatement sent(LeaseStatement statement, FleetSimulation fleet) {
        if (fleet.removed() == RemovedGuard.LAYOUT_ROW_TAKEN_AS_WORKER
                && statement instanceof LeaseStatement.Update update
                && fleet.database()
                    .rows()
                    .stream()
                    .anyMatch((row) -> row.worker() == LeaseRow.LAYOUT && row.token().equals(update.seenToken()))) {
            return new LeaseStatement.Update(LeaseRow.LAYOUT, update.seenToken(), update.hwmAtMost(), update.token(),
                    update.acquisitionStep(), update.leaseUntilMillis(), update.hwmTick(), update.owner(),
                    update.guard());
        }
        return statement;
    }

    /**
     * What a hand-over writes.
     * @return null if it writes nothing
     */
    static @Nullable LeaseStatement sent(LeaseStatement statement, SimDatabase database, boolean giver,
            RemovedGuard removed) {
        if (giver && removed == RemovedGuard.HAND_OVER_WITHOUT_GIVER) {
            return null;
        }
        if (!(statement instanceof LeaseStatement.Update update) || update.worker() == LeaseRow.LAYOUT) {
            return statement;
        }
        if (giver && removed == RemovedGuard.TURNED_BACK_LEAVES_TOKEN
                && database.rows()
                    .stream()
                    .anyMatch((row) -> row.worker() == update.worker() && LeaseHandOver.elsewhere(row))) {
            return null;
        }
        return (!giver && removed == RemovedGuard.HAND_OVER_WITHOUT_MARK) ? new LeaseStatement.Update(update.worker(),
                update.seenToken(), update.hwmAtMost(), update.token(), update.acquisitionStep(),
                update.leaseUntilMillis(), update.hwmAtMost(), update.owner(), update.layout(), update.guard())
                : statement;
    }

    /** The rows of a giver as a hand-over sees them. */
    static LeaseReply.Rows ofGiver(LeaseReply.Rows rows, RemovedGuard removed) {
        if (removed != RemovedGuard.HAND_OVER_WITHOUT_GIVER && removed != RemovedGuard.HAND_OVER_DURING_LEASE) {
            return rows;
        }
        return new LeaseReply.Rows(rows.databaseMillis(),
                rows.rows()
                    .stream()
                    .map((row) -> (row.leaseUntilMillis() == LayoutChange.FOREVER) ? row
                            : new LeaseRow(row.worker(), row.token(), row.acquisitions(), 0, row.hwmTick(), row.owner(),
                                    row.layout()))
                    .toList());
    }

    static LeaseReply seen(LeaseStatement statement, LeaseReply reply, FleetSimulation fleet, SimTime reader,
            LeaseSettings leaseSettings) {
        if (!(reply instanceof LeaseReply.Rows rows)) {
            return reply;
        }
        boolean acquiring = statement instanceof LeaseStatement.ReadAll;
        return switch (fleet.removed()) {
            case NO_PERSISTED_HWM_TICK, ONLY_THE_DEADLINE -> withoutHwm(rows, rows.databaseMillis());
            case BOTH_MODES_SIDE_BY_SIDE -> ofOneMode(rows, leaseSettings);
            case PLAIN_START_BELIEVES_MARKS -> leaseSettings.tolerateLostCommits() ? rows : withoutModeOfReturned(rows);
            case PLAIN_START_BELIEVES_HANDED_OVER ->
                leaseSettings.tolerateLostCommits() ? rows : withModeOfHandedOver(rows);
            case LO_FROM_LOCAL_CLOCK -> acquiring ? withoutHwm(rows, reader.epochNanos() / 1_000_000) : rows;
            case RENEWAL_WITHOUT_ROW_HWM_TICK -> acquiring ? rows : withoutHwm(rows, rows.databaseMillis());
            case LAYOUT_ROW_TAKEN_AS_WORKER -> withLayoutRowAsWorker(rows, statement, fleet, leaseSettings.owner());
            default -> rows;
        };
    }

    private static LeaseReply.Rows withoutHwm(LeaseReply.Rows rows, long millis) {
        return new LeaseReply.Rows(millis,
                rows.rows()
                    .stream()
                    .map((row) -> (row.worker() == LeaseRow.LAYOUT) ? row
                            : new LeaseRow(row.worker(), row.token(), row.acquisitions(), row.leaseUntilMillis(), 0,
                                    row.owner(), row.layout()))
                    .toList());
    }

    /** The rows as if all had promised what the reader promises. */
    private static LeaseReply.Rows ofOneMode(LeaseReply.Rows rows, LeaseSettings leaseSettings) {
        String promise = LeaseRow.promise(leaseSettings.tolerateLostCommits(), leaseSettings.window().toMillis());
        return new LeaseReply.Rows(rows.databaseMillis(),
                rows.rows()
                    .stream()
                    .map((row) -> (row.worker() == LeaseRow.LAYOUT) ? row
                            : new LeaseRow(row.worker(), row.token(), row.acquisitions(), row.leaseUntilMillis(),
                                    row.hwmTick(), row.owner(), promise))
                    .toList());
    }

    private static LeaseReply.Rows withoutModeOfReturned(LeaseReply.Rows rows) {
        return new LeaseReply.Rows(rows.databaseMillis(),
                rows.rows().stream().map((row) -> (row.leaseUntilMillis() == 0) ? SimStore.plain(row) : row).toList());
    }

    /** What shows no mode counts as plain. */
    private static LeaseReply.Rows withModeOfHandedOver(LeaseReply.Rows rows) {
        return new LeaseReply.Rows(rows.databaseMillis(),
                rows.rows()
                    .stream()
                    .map((row) -> (row.worker() == LeaseRow.LAYOUT || row.promised()) ? row
                            : new LeaseRow(row.worker(), row.token(), row.acquisitions(), row.leaseUntilMillis(),
                                    row.hwmTick(), row.owner(), LeaseRow.promise(false, 0)))
                    .toList());
    }

    /** The layout row shows up as a free worker, whose id wraps into the range: 0. */
    private static LeaseReply.Rows withLayoutRowAsWorker(LeaseReply.Rows rows, LeaseStatement statement,
            FleetSimulation fleet, String owner) {
        List<LeaseRow> shown = new ArrayList<>(rows.rows());
        LeaseRow layout = fleet.database()
            .rows()
            .stream()
            .filter((row) -> row.worker() == LeaseRow.LAYOUT)
            .findFirst()
            .orElse(null);
        if (layout != null) {
            LeaseRow worker = new LeaseRow(0, layout.token(), layout.acquisitions(), layout.leaseUntilMillis(),
                    layout.hwmTick(), layout.owner(), layout.layout());
            if (statement instanceof LeaseStatement.ReadAll && rows.row(0).isPresent()) {
                shown.add(worker);
            }
            else if (statement instanceof LeaseStatement.ReadOne one && one.worker() == 0
                    && owner.equals(layout.owner())) {
                // its holder finds it again by the token that it wrote
                shown.add(0, worker);
            }
        }
        return new LeaseReply.Rows(rows.databaseMillis(), shown);
    }

}
