package io.shardedid;

import org.openjdk.jcstress.annotations.Actor;

import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A caller meets the end of the lease, which has to tell the last tick that was used. */
@JCStressTest
@Outcome(id = "1000, 1000", expect = Expect.ACCEPTABLE, desc = "before it, and told")
@Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "after it: no lease")
@Outcome(id = "-3, -1", expect = Expect.ACCEPTABLE, desc = "with the lease after its cells were poisoned: no id")
@State
public class NextWithRelinquishStress {

    private final Engine engine = StressEngine.leased(StressEngine.lease(1, 1000, 1100));

    @Actor
    public void caller(II_Result r) {
        r.r1 = StressEngine.next(this.engine);
    }

    @Actor
    public void keeper(II_Result r) {
        r.r2 = (int) this.engine.relinquish();
    }

}
