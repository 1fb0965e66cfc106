package io.shardedid.internal.lease;

import java.util.ArrayList;
import java.util.List;

import io.shardedid.LeaseSettings;

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
                    update.acquisitionStep(), update.leaseUntilMillis(), update.hwmTick(), update.owner(), null,
                    update.guard());
        }
        return statement;
    }

    static LeaseReply seen(LeaseStatement statement, LeaseReply reply, FleetSimulation fleet, SimTime reader,
            LeaseSettings leaseSettings) {
        if (!(reply instanceof LeaseReply.Rows rows)) {
            return reply;
        }
        boolean acquiring = statement instanceof LeaseStatement.ReadAll;
        return switch (fleet.removed()) {
            case NO_PERSISTED_HWM_TICK, ONLY_THE_DEADLINE -> withoutHwm(rows, rows.databaseMillis());
            case LAYOUT_TOKEN_NOT_COMPARED -> acquiring ? rows : withoutLayoutRow(rows);
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

    private static LeaseReply.Rows withoutLayoutRow(LeaseReply.Rows rows) {
        return new LeaseReply.Rows(rows.databaseMillis(),
                rows.rows().stream().filter((row) -> row.worker() != LeaseRow.LAYOUT).toList());
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
