package io.shardedid;

import java.util.Arrays;
import java.util.stream.LongStream;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two callers of keyless ids, which cross from shard to shard, meet a lease of another
 * worker in the same tick.
 */
@JCStressTest
@Outcome(id = "[0-4], 1", expect = Expect.ACCEPTABLE, desc = "so many ids, each in order and none twice")
@Outcome(expect = Expect.FORBIDDEN, desc = "out of order or equal")
@State
public class KeylessWithWorkerStress {

    private final Engine engine = StressEngine.spread(StressEngine.lease(1, 1000, 1100));

    private final TickLease other = StressEngine.lease(2, 1000, 1100);

    private final long[] first = new long[2];

    private final long[] second = new long[2];

    @Actor
    public void first() {
        make(this.first);
    }

    @Actor
    public void second() {
        make(this.second);
    }

    @Actor
    public void keeper() {
        this.engine.hold(this.other);
    }

    @Arbiter
    public void afterwards(II_Result r) {
        long after = this.engine.numbers().tryNextKeyless();
        boolean ordered = inOrder(this.first, after) && inOrder(this.second, after);
        long[] made = LongStream.concat(Arrays.stream(this.first), Arrays.stream(this.second))
            .filter((id) -> id >= 0)
            .toArray();
        r.r1 = made.length;
        r.r2 = (ordered && LongStream.of(made).distinct().count() == made.length) ? 1 : 0;
    }

    private void make(long[] ids) {
        for (int i = 0; i < ids.length; i++) {
            ids[i] = this.engine.numbers().tryNextKeyless();
        }
    }

    private static boolean inOrder(long[] ids, long after) {
        long last = -1;
        for (long id : ids) {
            if (id >= 0 && id <= last) {
                return false;
            }
            last = Math.max(last, id);
        }
        return after > last;
    }

}
