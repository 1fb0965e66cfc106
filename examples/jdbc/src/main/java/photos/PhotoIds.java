package photos;

import io.shardedid.ShardedIds;
import org.springframework.data.relational.core.mapping.event.BeforeConvertCallback;
import org.springframework.stereotype.Component;

@Component
record PhotoIds(ShardedIds ids) implements BeforeConvertCallback<Photo> {

    @Override
    public Photo onBeforeConvert(Photo photo) {
        return (photo.id() != null) ? photo
                : new Photo(this.ids.nextFor(photo.userId()), photo.userId(), photo.caption());   // in its user's shard
    }

}
