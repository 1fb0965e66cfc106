package photos

import io.shardedid.ShardedId
import jakarta.persistence.Entity
import jakarta.persistence.Id
import jakarta.persistence.Index
import jakarta.persistence.Table

@Entity @Table(indexes = [Index(columnList = "userId, id")])
class Photo(var userId: Long, var caption: String) {
    @Id @ShardedId(shardKey = "userId") var id: Long? = null   // a photo lives in its user's shard
}
