package photos;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;

/** A comment lives with its photo. */
@Entity
public class Comment {

    @Id
    @ShardedId(shardKey = "photo")
    private Long id;

    @ManyToOne(fetch = FetchType.LAZY, optional = false)
    private Photo photo;

    private String text;

    protected Comment() {
    }

    public Comment(Photo photo, String text) {
        this.photo = photo;
        this.text = text;
    }

}
