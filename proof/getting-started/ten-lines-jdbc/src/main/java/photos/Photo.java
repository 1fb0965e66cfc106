package photos;

import io.shardedid.ShardedId;
import org.springframework.data.annotation.Id;

record Photo(@Id @ShardedId(shardKey = "userId") Long id, Long userId, String caption) {   // lives in its user's shard
}
