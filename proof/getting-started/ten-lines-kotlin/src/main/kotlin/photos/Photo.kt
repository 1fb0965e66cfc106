package photos

import io.shardedid.ShardedId
import jakarta.persistence.Entity
import jakarta.persistence.Id

@Entity
class Photo(var userId: Long, var caption: String) {
    @Id @ShardedId(shardKey = "userId") var id: Long? = null   // a photo lives in its user's shard
}
