package photos;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

@Entity
public class Photo {

    @Id
    @ShardedId(shardKey = "userId")
    public Long id;

    public Long userId;

}
