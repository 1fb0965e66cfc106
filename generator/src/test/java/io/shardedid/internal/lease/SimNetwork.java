package io.shardedid.internal.lease;

import java.io.IOException;
import java.util.function.Consumer;

/**
 * What lies between a process and the database: it loses, delays and delivers late, and
 * shows a past that is gone.
 */
final class SimNetwork {

    private static final long TIMEOUT_NANOS = 1_000_000_000L;

    private static final long LATEST_NANOS = 15_000_000_000L;

    private static final long STALEST_NANOS = 5_000_000_000L;

    private final FleetSimulation fleet;

    private final SimWorld world;

    private long downUntil;

    SimNetwork(FleetSimulation fleet) {
        this.fleet = fleet;
        this.world = fleet.world();
    }

    void down(long nanos) {
        this.downUntil = this.world.now() + nanos;
    }

    void send(SimDatabase database, LeaseStatement statement, Consumer<LeaseReply> receiver) {
        boolean faults = this.fleet.faults();
        double fate = this.world.random().nextDouble();
        long there = 100_000 + this.world.span(this.world.chance(0.05) ? 400_000_000 : 5_000_000);
        long back = 100_000 + this.world.span(this.world.chance(0.05) ? 400_000_000 : 5_000_000);
        if (faults && (this.world.now() < this.downUntil || fate < 0.03)) {
            timeout(receiver);
        }
        else if (faults && fate < 0.08) {
            this.world.after(there, () -> execute(database, statement));
            timeout(receiver);
        }
        else if (faults && fate < 0.13) {
            this.world.after(this.world.random().nextLong(LATEST_NANOS), () -> execute(database, statement));
            timeout(receiver);
        }
        else {
            this.world.after(there, () -> {
                LeaseReply reply = execute(database, statement);
                this.world.after(back, () -> receiver.accept(reply));
            });
        }
    }

    private void timeout(Consumer<LeaseReply> receiver) {
        this.world.after(TIMEOUT_NANOS, () -> receiver.accept(new LeaseReply.Unknown(new IOException("timed out"))));
    }

    private LeaseReply execute(SimDatabase database, LeaseStatement statement) {
        long stale = (this.fleet.faults() && this.world.chance(0.1)) ? this.world.random().nextLong(STALEST_NANOS) : 0;
        return this.fleet.removed().execute(statement, database, this.world.now(), stale);
    }

}
