package io.shardedid.sample.feed;

import io.shardedid.ShardedIds;
import io.shardedid.sample.photo.Photos;
import io.shardedid.sample.problem.Problems;
import io.shardedid.sample.user.UserView;
import io.shardedid.sample.user.Users;
import io.shardedid.sample.user.Visitor;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.SessionAttribute;

/**
 * The pages of photos: all, of one user, one.
 */
@Controller
class FeedController {

    private final Feed feed;

    private final Users users;

    private final Photos photos;

    private final ShardedIds ids;

    FeedController(Feed feed, Users users, Photos photos, ShardedIds ids) {
        this.feed = feed;
        this.users = users;
        this.photos = photos;
        this.ids = ids;
    }

    @GetMapping("/")
    String home(@RequestParam(required = false) @Nullable Long before,
            @SessionAttribute(name = Visitor.ATTRIBUTE, required = false) @Nullable Visitor visitor, Model model) {
        FeedPage page = this.feed.newest(before, Feed.PAGE, visitor);
        model.addAttribute("page", page);
        model.addAttribute("older", (page.older() != null) ? "/?before=" + page.older() : null);
        model.addAttribute("before", before);
        model.addAttribute("shards", this.ids.shards());
        return "feed";
    }

    @GetMapping("/users/{id}")
    String user(@PathVariable long id, @RequestParam(required = false) @Nullable Long before,
            @SessionAttribute(name = Visitor.ATTRIBUTE, required = false) @Nullable Visitor visitor, Model model) {
        UserView user = this.users.findById(id)
            .map((found) -> UserView.of(found, this.ids.layout()))
            .orElseThrow(() -> Problems.unknown("user", id));
        FeedPage page = this.feed.newestOf(id, before, Feed.PAGE, visitor);
        model.addAttribute("user", user);
        model.addAttribute("count", this.photos.countByAuthorId(id));
        model.addAttribute("page", page);
        model.addAttribute("older", (page.older() != null) ? "/users/" + id + "?before=" + page.older() : null);
        return "user";
    }

    @GetMapping("/photos/{id}")
    String photo(@PathVariable long id,
            @SessionAttribute(name = Visitor.ATTRIBUTE, required = false) @Nullable Visitor visitor, Model model) {
        model.addAttribute("photo", this.feed.photo(id, visitor).orElseThrow(() -> Problems.unknown("photo", id)));
        return "photo";
    }

}
