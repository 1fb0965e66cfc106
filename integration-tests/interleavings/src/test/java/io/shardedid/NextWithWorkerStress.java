package io.shardedid;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A caller meets a lease of another worker in the same tick. */
@JCStressTest
@Outcome(id = "1000, 2032", expect = Expect.ACCEPTABLE, desc = "before it: the new worker starts in the next tick")
@Outcome(id = "2000, 2001", expect = Expect.ACCEPTABLE, desc = "after it")
@Outcome(id = "-3, 2000", expect = Expect.ACCEPTABLE, desc = "with the old lease after its cells were poisoned: no id")
@State
public class NextWithWorkerStress {

    private final Engine engine = StressEngine.leased(StressEngine.lease(1, 1000, 1100));

    private final TickLease other = StressEngine.lease(2, 1000, 1100);

    @Actor
    public void caller(II_Result r) {
        r.r1 = StressEngine.next(this.engine);
    }

    @Actor
    public void keeper() {
        this.engine.hold(this.other);
    }

    @Arbiter
    public void afterwards(II_Result r) {
        r.r2 = StressEngine.next(this.engine);
    }

}
