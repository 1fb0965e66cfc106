package io.shardedid.internal.lease;

import java.io.IOException;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The stores of one run of a command between two tables. Time goes on between its
 * statements. The run may break off with any of its writes, which has happened
 * nevertheless, happens later, or does not.
 */
final class SimCommand {

    private static final long SECOND = 1_000_000_000L;

    private final FleetSimulation fleet;

    private final SimWorld world;

    private final RemovedGuard removed;

    private final boolean faults;

    /** How many writes there are before it breaks off. */
    private int left = Integer.MAX_VALUE;

    private boolean hasWritten;

    /** Whether an answer was older than the moment. */
    private boolean sawThePast;

    /** What the giver writes after the receiver, without a guard. */
    private @Nullable Supplier<LeaseReply> afterReceiver;

    SimCommand(FleetSimulation fleet, boolean faults) {
        this.fleet = fleet;
        this.world = fleet.world();
        this.removed = fleet.removed();
        this.faults = faults;
        if (faults && this.world.chance(0.4)) {
            this.left = this.world.random().nextInt(6);
        }
    }

    boolean hasWritten() {
        return this.hasWritten;
    }

    boolean sawThePast() {
        return this.sawThePast;
    }

    LeaseStore giver(SimDatabase database) {
        return new Place(database, true);
    }

    LeaseStore receiver(SimDatabase database) {
        return new Place(database, false);
    }

    private final class Place extends ForwardingStore {

        private final SimDatabase database;

        private final boolean giver;

        Place(SimDatabase database, boolean giver) {
            super(new SimStore(database, SimCommand.this.world, true));
            this.database = database;
            this.giver = giver;
        }

        @Override
        public LeaseReply execute(LeaseStatement statement) {
            SimWorld time = SimCommand.this.world;
            if (SimCommand.this.faults) {
                time.standStill(time.span(time.chance(0.1) ? 2 * SECOND : SECOND / 50));
            }
            if (statement instanceof LeaseStatement.ReadAll) {
                return read(statement);
            }
            LeaseStatement sent = RemovedGuardViews.sent(statement, this.database, this.giver, SimCommand.this.removed);
            if (sent == null) {
                return new LeaseReply.Written(1);
            }
            if (this.giver && SimCommand.this.removed == RemovedGuard.RECEIVER_BEFORE_GIVER) {
                SimCommand.this.afterReceiver = () -> write(sent);
                return new LeaseReply.Written(1);
            }
            LeaseReply reply = write(sent);
            Supplier<LeaseReply> next = SimCommand.this.afterReceiver;
            SimCommand.this.afterReceiver = null;
            return (next != null && reply.equals(new LeaseReply.Written(1))) ? next.get() : reply;
        }

        private LeaseReply read(LeaseStatement statement) {
            SimWorld time = SimCommand.this.world;
            boolean past = SimCommand.this.faults && time.chance(0.1);
            SimCommand.this.sawThePast |= past;
            LeaseReply.Rows rows = (LeaseReply.Rows) this.database.execute(statement, time.now(),
                    past ? time.random().nextLong(5 * SECOND) : 0);
            return this.giver ? RemovedGuardViews.ofGiver(rows, SimCommand.this.removed) : rows;
        }

        private LeaseReply write(LeaseStatement statement) {
            SimWorld time = SimCommand.this.world;
            SimCommand.this.hasWritten = true;
            if (SimCommand.this.left-- > 0) {
                return this.database.execute(statement, time.now(), 0);
            }
            Runnable late = () -> {
                if (SimCommand.this.fleet.faults()) {
                    this.database.execute(statement, time.now(), 0);
                }
            };
            switch (time.random().nextInt(3)) {
                case 0 -> late.run();
                case 1 -> time.after(time.random().nextLong(15 * SECOND), late);
                default -> {
                    // it never arrives
                }
            }
            return new LeaseReply.Unknown(new IOException("broken off"));
        }

    }

}
