package io.shardedid;

import org.jetbrains.lincheck.datastructures.Operation;

/**
 * One cell, whose operations come one after another, in some order. That holds for one
 * cell only: cells are poisoned one after another.
 */
public class OneCell {

    private final ShardCells cells = new ShardCells(1, -1);

    @Operation
    public long claim() {
        return this.cells.claim(0, 5, 5, 9);
    }

    @Operation
    public long claimInLaterTick() {
        return this.cells.claim(0, 8, 10, 16);
    }

    @Operation
    public long claimThree() {
        return this.cells.claim(0, 5, 5, 9, 3);
    }

    @Operation
    public long highest() {
        return this.cells.highest();
    }

    @Operation
    public long poison() {
        return this.cells.poison();
    }

}
