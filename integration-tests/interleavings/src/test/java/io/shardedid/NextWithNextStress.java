package io.shardedid;

import org.openjdk.jcstress.annotations.Actor;

import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two callers take two ids of a shard, one after the other's. */
@JCStressTest
@Outcome(id = "1001, 1002", expect = Expect.ACCEPTABLE, desc = "first actor first")
@Outcome(id = "1002, 1001", expect = Expect.ACCEPTABLE, desc = "second actor first")
@State
public class NextWithNextStress {

    private final Engine engine = StressEngine.leased(StressEngine.lease(1, 1000, 1100));

    public NextWithNextStress() {
        this.engine.numbers().tryNext(0);
    }

    @Actor
    public void first(II_Result r) {
        r.r1 = StressEngine.next(this.engine);
    }

    @Actor
    public void second(II_Result r) {
        r.r2 = StressEngine.next(this.engine);
    }

}
