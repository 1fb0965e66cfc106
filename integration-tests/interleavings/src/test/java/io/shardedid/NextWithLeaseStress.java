package io.shardedid;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A caller meets a renewal whose clock has gone on by ten ticks. */
@JCStressTest
@Outcome(id = "1000, 1320", expect = Expect.ACCEPTABLE, desc = "before the renewal")
@Outcome(id = "1320, 1321", expect = Expect.ACCEPTABLE, desc = "after it")
@State
public class NextWithLeaseStress {

    private final Engine engine = StressEngine.leased(StressEngine.lease(1, 1000, 1100));

    private final TickLease renewed = StressEngine.lease(1, 1010, 1200);

    @Actor
    public void caller(II_Result r) {
        r.r1 = StressEngine.next(this.engine);
    }

    @Actor
    public void keeper() {
        this.engine.hold(this.renewed);
    }

    @Arbiter
    public void afterwards(II_Result r) {
        r.r2 = StressEngine.next(this.engine);
    }

}
