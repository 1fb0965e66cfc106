package io.shardedid.shards;

import java.util.List;

import io.shardedid.interleavings.Scene;

/**
 * The last use of a map ends while another map takes its place: either the keeper finds
 * it free, or it is told to look again.
 */
public class LastUseScene extends Scene {

    private static final ShardMap MAP = ShardMap.of(List.of("a"), new MapVersion(1, 1));

    private MapUses uses;

    private boolean told;

    private boolean free;

    @Override
    protected void begin() {
        this.uses = new MapUses(MAP);
        this.uses.begin(0);
    }

    @Override
    protected void first() {
        this.told = this.uses.end(0);
    }

    @Override
    protected void second() {
        this.uses.replaced();
        this.free = this.uses.isFree();
    }

    @Override
    protected void end() {
        check(this.told || this.free, "a mover waits for nobody");
    }

}
