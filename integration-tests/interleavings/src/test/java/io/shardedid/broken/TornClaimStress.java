package io.shardedid.broken;

import java.util.concurrent.atomic.AtomicLong;

import org.openjdk.jcstress.annotations.Actor;

import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A cell that is read and then written, instead of compared and set: must be found. */
@JCStressTest
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "first actor first")
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "second actor first")
@Outcome(expect = Expect.FORBIDDEN, desc = "one value for two callers")
@State
public class TornClaimStress {

    private final AtomicLong cell = new AtomicLong(-1);

    @Actor
    public void first(II_Result r) {
        r.r1 = claim();
    }

    @Actor
    public void second(II_Result r) {
        r.r2 = claim();
    }

    private int claim() {
        long next = this.cell.get() + 1;
        this.cell.set(next);
        return (int) next;
    }

}
