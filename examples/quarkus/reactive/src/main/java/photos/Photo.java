package photos;

import io.quarkus.hibernate.reactive.panache.PanacheEntityBase;
import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

@Entity
public class Photo extends PanacheEntityBase {

    @Id
    @ShardedId(shardKey = "userId")
    public Long id;

    public Long userId;

}
