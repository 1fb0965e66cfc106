package io.shardedid.broken;

import java.util.concurrent.atomic.AtomicLong;

import org.openjdk.jcstress.annotations.Actor;

import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A poison that reads the last claim and then writes, instead of swapping: must be found.
 */
@JCStressTest
@Outcome(id = "5, 5", expect = Expect.ACCEPTABLE, desc = "claimed before, and seen")
@Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "poisoned before")
@Outcome(expect = Expect.FORBIDDEN, desc = "claimed and not seen: somebody else may get it too")
@State
public class TornPoisonStress {

    private static final long POISON = 1L << 62;

    private final AtomicLong cell = new AtomicLong(-1);

    @Actor
    public void caller(II_Result r) {
        r.r1 = this.cell.compareAndSet(-1, 5) ? 5 : -1;
    }

    @Actor
    public void keeper(II_Result r) {
        r.r2 = (int) this.cell.get();
        this.cell.set(POISON);
    }

}
