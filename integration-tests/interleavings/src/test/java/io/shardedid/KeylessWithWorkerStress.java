package io.shardedid;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A caller of keyless ids, which crosses from one shard into the next, meets a lease of a
 * smaller worker in the same tick, whose ids would be smaller there.
 */
@JCStressTest
@Outcome(id = "[0-3], 1", expect = Expect.ACCEPTABLE, desc = "so many ids, and each is larger than the one before")
@Outcome(expect = Expect.FORBIDDEN, desc = "out of order")
@State
public class KeylessWithWorkerStress {

    private final Engine engine = StressEngine.spread(StressEngine.lease(2, 1000, 1100));

    private final TickLease other = StressEngine.lease(1, 1000, 1100);

    private long last = -1;

    private int made;

    private boolean ordered = true;

    @Actor
    public void caller() {
        for (int i = 0; i < 3; i++) {
            long id = this.engine.numbers().tryNextKeyless();
            if (id >= 0) {
                this.made++;
                this.ordered &= id > this.last;
                this.last = id;
            }
        }
    }

    @Actor
    public void keeper() {
        this.engine.hold(this.other);
    }

    @Arbiter
    public void afterwards(II_Result r) {
        r.r1 = this.made;
        r.r2 = (this.ordered && this.engine.numbers().tryNextKeyless() > this.last) ? 1 : 0;
    }

}
