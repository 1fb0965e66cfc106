package io.shardedid.sample.like;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.shardedid.routing.Shards;
import io.shardedid.sample.user.Visitor;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Service;

/**
 * Counts likes. They live in the shards of their photos.
 */
@Service
public class LikeTally {

    private final Likes likes;

    private final Shards shards;

    LikeTally(Likes likes, Shards shards) {
        this.likes = likes;
        this.shards = shards;
    }

    /**
     * Counts the likes of many photos in two queries. The photos are in one database, and
     * the caller has said in which.
     * @param photos ids of photos
     * @param visitor whose own likes are marked
     * @return the likes by the id of the photo
     */
    public Map<Long, LikeView> of(Collection<Long> photos, @Nullable Visitor visitor) {
        if (photos.isEmpty()) {
            return Map.of();
        }
        Map<Long, Long> counts = this.likes.count(photos)
            .stream()
            .collect(Collectors.toMap(LikeCount::getPhoto, LikeCount::getLikes));
        Set<Long> liked = (visitor != null) ? this.likes.findLiked(visitor.id(), photos) : Set.of();
        return photos.stream()
            .distinct()
            .collect(Collectors.toMap(Function.identity(),
                    (id) -> new LikeView(id.toString(), counts.getOrDefault(id, 0L), liked.contains(id))));
    }

    /**
     * Counts the likes of photos wherever they are. Where a photo is not, it has no
     * likes.
     */
    Collection<LikeView> ofAny(Collection<Long> photos, @Nullable Visitor visitor) {
        return this.shards.inEach(() -> of(photos, visitor))
            .values()
            .stream()
            .flatMap((found) -> found.values().stream())
            .collect(Collectors.toMap(LikeView::photo, Function.identity(), LikeView::larger))
            .values();
    }

    LikeView of(long photo, @Nullable Visitor visitor) {
        return this.shards.inShardOf(photo, () -> of(Set.of(photo), visitor).get(photo));
    }

}
