package photos;

import io.shardedid.ShardFunction;

/** Before, the rows of a user were in {@code ds_${user_id % 2}}. */
public class ByOldDatabase implements ShardFunction {

    @Override
    public int shardOf(Object key, int shards) {
        long user = ((Number) key).longValue();
        return (int) (user % 2 * (shards / 2) + user / 2 % (shards / 2));
    }

    @Override
    public String id() {
        return "by-old-database";
    }

}
