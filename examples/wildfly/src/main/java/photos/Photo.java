package photos;

import io.shardedid.ShardedId;
import jakarta.json.bind.annotation.JsonbNumberFormat;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

@Entity
public class Photo {

    @Id
    @ShardedId(shardKey = "userId")
    @JsonbNumberFormat("0") // a text, because JavaScript would round the number
    public Long id;

    public Long userId;

}
