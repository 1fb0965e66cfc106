package io.shardedid.sample.feed;

import java.time.Instant;

import io.shardedid.IdWindow;
import io.shardedid.ShardedIds;
import io.shardedid.sample.problem.Problems;
import io.shardedid.sample.user.Users;
import io.shardedid.sample.user.Visitor;
import org.jspecify.annotations.Nullable;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.SessionAttribute;

/**
 * Photos as JSON. Members with {@code @JsonShardedId} are strings there, since JavaScript
 * rounds integers beyond 2<sup>53</sup>.
 */
@RestController
class FeedApi {

    private static final int MOST_AT_ONCE = 100;

    private final Feed feed;

    private final Users users;

    private final ShardedIds ids;

    FeedApi(Feed feed, Users users, ShardedIds ids) {
        this.feed = feed;
        this.users = users;
        this.ids = ids;
    }

    @GetMapping("/api/photos")
    FeedPage photos(@RequestParam(required = false) @Nullable Long before,
            @RequestParam(required = false) @Nullable Instant from,
            @RequestParam(required = false) @Nullable Instant to, @RequestParam(defaultValue = "30") int limit,
            @SessionAttribute(name = Visitor.ATTRIBUTE, required = false) @Nullable Visitor visitor) {
        if (from == null && to == null) {
            return this.feed.newest(before, checked(limit), visitor);
        }
        return this.feed.newestWithin(window(from, to), before, checked(limit), visitor);
    }

    @GetMapping("/api/photos/{id}")
    PhotoView photo(@PathVariable long id,
            @SessionAttribute(name = Visitor.ATTRIBUTE, required = false) @Nullable Visitor visitor) {
        return this.feed.photo(id, visitor).orElseThrow(() -> Problems.unknown("photo", id));
    }

    @GetMapping("/api/users/{id}/photos")
    FeedPage photosOf(@PathVariable long id, @RequestParam(required = false) @Nullable Long before,
            @RequestParam(defaultValue = "30") int limit,
            @SessionAttribute(name = Visitor.ATTRIBUTE, required = false) @Nullable Visitor visitor) {
        if (!this.users.existsById(id)) {
            throw Problems.unknown("user", id);
        }
        return this.feed.newestOf(id, before, checked(limit), visitor);
    }

    private IdWindow window(@Nullable Instant from, @Nullable Instant to) {
        Instant begins = (from != null) ? from : Instant.MIN;
        Instant ends = (to != null) ? to : Instant.MAX;
        if (ends.isBefore(begins)) {
            throw Problems.malformed("'from' must not be later than 'to'", from + " to " + to);
        }
        return IdWindow.between(this.ids.layout(), begins, ends);
    }

    private static int checked(int limit) {
        if (limit < 1 || limit > MOST_AT_ONCE) {
            throw Problems.malformed("'limit' must be in [1, %s]".formatted(MOST_AT_ONCE), limit);
        }
        return limit;
    }

}
