package photos;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

@Entity
public class Photo {

    @Id
    @ShardedId(shardKey = "userId")
    private Long id;

    private long userId;

    private String caption;

    protected Photo() {
    }

    public Photo(long userId, String caption) {
        this.userId = userId;
        this.caption = caption;
    }

    public Long getId() {
        return this.id;
    }

    public String getCaption() {
        return this.caption;
    }

}
