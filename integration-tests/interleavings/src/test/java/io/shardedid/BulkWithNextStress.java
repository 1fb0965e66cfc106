package io.shardedid;

import org.openjdk.jcstress.annotations.Actor;

import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A caller of three ids meets a caller of one: the three stand in a row. */
@JCStressTest
@Outcome(id = "1000, 1002, 1003", expect = Expect.ACCEPTABLE, desc = "the three first")
@Outcome(id = "1001, 1003, 1000", expect = Expect.ACCEPTABLE, desc = "the one first")
@State
public class BulkWithNextStress {

    private final Engine engine = StressEngine.leased(StressEngine.lease(1, 1000, 1100));

    private final long[] three = new long[3];

    @Actor
    public void bulk(III_Result r) {
        this.engine.numbers().tryFill(0, this.three, 0);
        r.r1 = StressEngine.number(this.engine, this.three[0]);
        r.r2 = StressEngine.number(this.engine, this.three[2]);
    }

    @Actor
    public void single(III_Result r) {
        r.r3 = StressEngine.next(this.engine);
    }

}
