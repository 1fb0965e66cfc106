package photos;

import java.util.List;
import java.util.Properties;

import io.shardedid.move.MoveDatabases;
import io.shardedid.move.MoveLimits;
import io.shardedid.move.MoveResult;
import io.shardedid.move.ShardMover;
import io.shardedid.move.ShardRanges;

class Balance {

    List<MoveResult> move(Properties properties) {
        ShardMover mover = new ShardMover(MoveDatabases.of(properties), MoveLimits.DEFAULTS, System.out::println);
        return mover.move(ShardRanges.parse("1000-1999"), "b");
    }

}
