package io.shardedid.sample.like;

import java.util.Collection;
import java.util.List;

import io.shardedid.sample.problem.Problems;
import io.shardedid.sample.user.Visitor;
import org.jspecify.annotations.Nullable;

import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.SessionAttribute;

/**
 * Likes as JSON.
 */
@RestController
class LikeApi {

    private static final int MOST_AT_ONCE = 200;

    private final Liking liking;

    private final LikeTally tally;

    LikeApi(Liking liking, LikeTally tally) {
        this.liking = liking;
        this.tally = tally;
    }

    @PutMapping("/api/photos/{id}/like")
    LikeView like(@PathVariable long id,
            @SessionAttribute(name = Visitor.ATTRIBUTE, required = false) @Nullable Visitor visitor) {
        this.liking.like(id, visitor);
        return this.tally.of(id, visitor);
    }

    @DeleteMapping("/api/photos/{id}/like")
    LikeView unlike(@PathVariable long id,
            @SessionAttribute(name = Visitor.ATTRIBUTE, required = false) @Nullable Visitor visitor) {
        this.liking.unlike(id, visitor);
        return this.tally.of(id, visitor);
    }

    /** What open pages ask every few seconds. */
    @GetMapping("/api/likes")
    Collection<LikeView> likes(@RequestParam("photo") List<Long> photos,
            @SessionAttribute(name = Visitor.ATTRIBUTE, required = false) @Nullable Visitor visitor) {
        if (photos.size() > MOST_AT_ONCE) {
            throw Problems.malformed("'photo' may be given at most %s times".formatted(MOST_AT_ONCE), photos.size());
        }
        return this.tally.of(photos, visitor).values();
    }

}
