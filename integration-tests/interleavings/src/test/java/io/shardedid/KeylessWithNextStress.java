package io.shardedid;

import org.openjdk.jcstress.annotations.Actor;

import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A keyless id and one of the same shard are two. */
@JCStressTest
@Outcome(id = "1000, 1001", expect = Expect.ACCEPTABLE, desc = "keyless first")
@Outcome(id = "1001, 1000", expect = Expect.ACCEPTABLE, desc = "keyless last")
@State
public class KeylessWithNextStress {

    private final Engine engine = StressEngine.leased(StressEngine.lease(1, 1000, 1100));

    @Actor
    public void keyless(II_Result r) {
        r.r1 = StressEngine.nextKeyless(this.engine);
    }

    @Actor
    public void keyed(II_Result r) {
        r.r2 = StressEngine.next(this.engine);
    }

}
