package io.shardedid;

import org.openjdk.jcstress.annotations.Actor;

import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two callers of twenty ids share the 32 that the lease has left. */
@JCStressTest
@Outcome(id = "20, 12", expect = Expect.ACCEPTABLE, desc = "first actor first")
@Outcome(id = "12, 20", expect = Expect.ACCEPTABLE, desc = "second actor first")
@State
public class BulkAtTheEndStress {

    private final Engine engine = StressEngine.leased(StressEngine.lease(1, 1000, 1001));

    @Actor
    public void first(II_Result r) {
        r.r1 = (int) this.engine.numbers().tryFill(0, new long[20], 0);
    }

    @Actor
    public void second(II_Result r) {
        r.r2 = (int) this.engine.numbers().tryFill(0, new long[20], 0);
    }

}
