package io.shardedid;

import org.openjdk.jcstress.annotations.Actor;

import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two callers whose clocks differ by five ticks meet in a cell that nobody touched. */
@JCStressTest
@Outcome(id = "0, 160", expect = Expect.ACCEPTABLE, desc = "in the order of the clocks")
@Outcome(id = "161, 160", expect = Expect.ACCEPTABLE, desc = "the later clock first: the cell does not go back")
@State
public class FirstTouchStress {

    private final ShardCells cells = new ShardCells(1, -1);

    @Actor
    public void early(II_Result r) {
        r.r1 = (int) this.cells.claim(0, 0, 0, 1000);
    }

    @Actor
    public void late(II_Result r) {
        r.r2 = (int) this.cells.claim(0, 160, 160, 1000);
    }

}
