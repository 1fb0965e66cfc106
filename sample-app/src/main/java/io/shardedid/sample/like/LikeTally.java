package io.shardedid.sample.like;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.shardedid.sample.user.Visitor;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Service;

/**
 * Counts the likes of many photos in two queries.
 */
@Service
public class LikeTally {

    private final Likes likes;

    LikeTally(Likes likes) {
        this.likes = likes;
    }

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

    LikeView of(long photo, @Nullable Visitor visitor) {
        return of(Set.of(photo), visitor).getOrDefault(photo, new LikeView(Long.toString(photo), 0, false));
    }

}
