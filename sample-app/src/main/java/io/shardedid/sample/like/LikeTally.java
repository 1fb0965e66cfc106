package io.shardedid.sample.like;

import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.shardedid.sample.user.Visitor;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Service;

/**
 * Counts likes.
 */
@Service
public class LikeTally {

    private final Likes likes;

    LikeTally(Likes likes) {
        this.likes = likes;
    }

    /**
     * Counts the likes of many photos in two queries.
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
                    (id) -> new LikeView(id, counts.getOrDefault(id, 0L), liked.contains(id))));
    }

    LikeView of(long photo, @Nullable Visitor visitor) {
        return Objects.requireNonNull(of(Set.of(photo), visitor).get(photo));
    }

}
