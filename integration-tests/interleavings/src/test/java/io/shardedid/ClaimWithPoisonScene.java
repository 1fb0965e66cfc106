package io.shardedid;

import io.shardedid.interleavings.Scene;

/** Claims in two cells meet the poison: what it did not see was not claimed. */
public class ClaimWithPoisonScene extends Scene {

    private ShardCells cells;

    private long inSecond;

    private long inFirst;

    private long told;

    @Override
    protected void begin() {
        this.cells = new ShardCells(2, -1);
    }

    @Override
    protected void first() {
        this.inSecond = this.cells.claim(1, 5, 5, 1000);
        this.inFirst = this.cells.claim(0, 6, 6, 1000);
    }

    @Override
    protected void second() {
        this.told = this.cells.poison();
    }

    @Override
    protected void end() {
        check(Math.max(this.inSecond, this.inFirst) <= this.told, "a claim is above what the poison told");
        check(this.cells.claim(0, 7, 7, 1000) < 0 && this.cells.claim(1, 7, 7, 1000) < 0, "a poisoned cell is claimed");
    }

}
