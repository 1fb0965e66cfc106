package io.shardedid;

import org.openjdk.jcstress.annotations.Actor;

import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A claim meets the poison: what the poison did not see was not claimed. */
@JCStressTest
@Outcome(id = "5, 5", expect = Expect.ACCEPTABLE, desc = "claimed before, and seen")
@Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "poisoned before")
@State
public class ClaimWithPoisonStress {

    private final ShardCells cells = new ShardCells(1, -1);

    @Actor
    public void caller(II_Result r) {
        r.r1 = (int) this.cells.claim(0, 5, 5, 1000);
    }

    @Actor
    public void keeper(II_Result r) {
        r.r2 = (int) this.cells.poison();
    }

}
