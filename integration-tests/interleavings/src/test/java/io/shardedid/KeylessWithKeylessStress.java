package io.shardedid;

import org.openjdk.jcstress.annotations.Actor;

import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * Two callers of two keyless ids each cross from one tick, which holds two, into the
 * next.
 */
@JCStressTest
@Outcome(id = "1000, 1001, 1002, 1003", expect = Expect.ACCEPTABLE, desc = "first actor first")
@Outcome(id = "1000, 1002, 1001, 1003", expect = Expect.ACCEPTABLE, desc = "in turn")
@Outcome(id = "1000, 1003, 1001, 1002", expect = Expect.ACCEPTABLE, desc = "second between")
@Outcome(id = "1001, 1002, 1000, 1003", expect = Expect.ACCEPTABLE, desc = "first between")
@Outcome(id = "1001, 1003, 1000, 1002", expect = Expect.ACCEPTABLE, desc = "in turn")
@Outcome(id = "1002, 1003, 1000, 1001", expect = Expect.ACCEPTABLE, desc = "second actor first")
@State
public class KeylessWithKeylessStress {

    private final Engine engine = StressEngine.tight(StressEngine.lease(1, 1000, 1100));

    @Actor
    public void first(IIII_Result r) {
        r.r1 = StressEngine.nextKeyless(this.engine);
        r.r2 = StressEngine.nextKeyless(this.engine);
    }

    @Actor
    public void second(IIII_Result r) {
        r.r3 = StressEngine.nextKeyless(this.engine);
        r.r4 = StressEngine.nextKeyless(this.engine);
    }

}
