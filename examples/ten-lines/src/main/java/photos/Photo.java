package photos;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Index;
import jakarta.persistence.Table;

@Entity @Table(indexes = @Index(columnList = "userId, id"))
class Photo {
    @Id @ShardedId(shardKey = "userId") Long id;   // a photo lives in its user's shard
    Long userId;
    String caption;
}
