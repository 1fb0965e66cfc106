package photos;

import java.util.Comparator;
import java.util.List;

import io.shardedid.routing.Shards;

import org.springframework.stereotype.Service;

@Service
class Gallery {

    private final Photos photos;

    private final Shards shards;

    Gallery(Photos photos, Shards shards) {
        this.photos = photos;
        this.shards = shards;
    }

    long publish(long user, String caption) {
        return this.photos.save(new Photo(user, caption)).getId();
    }

    String captionOf(long id) {
        return this.photos.findById(id).orElseThrow().getCaption();
    }

    List<Photo> newest() {
        return this.shards.merge(Comparator.comparing(Photo::getId).reversed(), 20,
                this.photos::findTop20ByOrderByIdDesc);
    }

    long countBesideUser(long user) {
        return this.shards.inShardFor(user, () -> this.photos.count());
    }

}
