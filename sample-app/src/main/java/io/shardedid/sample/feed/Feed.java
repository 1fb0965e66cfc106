package io.shardedid.sample.feed;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.shardedid.IdLayout;
import io.shardedid.IdWindow;
import io.shardedid.ShardedIds;
import io.shardedid.sample.like.LikeTally;
import io.shardedid.sample.like.LikeView;
import io.shardedid.sample.photo.Photo;
import io.shardedid.sample.photo.Photos;
import io.shardedid.sample.user.UserView;
import io.shardedid.sample.user.Visitor;
import org.jspecify.annotations.Nullable;

import org.springframework.data.domain.Limit;
import org.springframework.stereotype.Service;

/**
 * Finds photos sorted by id, which is by time, a page at a time: each page starts below
 * the last id of the page before it, so its cost does not grow with its depth.
 */
@Service
class Feed {

    /** Fills rows of one, two and three cards. */
    static final int PAGE = 12;

    private static final IdWindow ALL = new IdWindow(0, Long.MAX_VALUE);

    private final Photos photos;

    private final LikeTally tally;

    private final IdLayout layout;

    Feed(Photos photos, LikeTally tally, ShardedIds ids) {
        this.photos = photos;
        this.tally = tally;
        this.layout = ids.layout();
    }

    FeedPage newest(@Nullable Long before, int limit, @Nullable Visitor visitor) {
        return newestWithin(ALL, before, limit, visitor);
    }

    FeedPage newestOf(long author, @Nullable Long before, int limit, @Nullable Visitor visitor) {
        return page(this.photos.findNewestOf(author, below(ALL, before), Limit.of(limit + 1)), limit, visitor);
    }

    FeedPage newestWithin(IdWindow window, @Nullable Long before, int limit, @Nullable Visitor visitor) {
        return page(this.photos.findNewest(below(window, before), Limit.of(limit + 1)), limit, visitor);
    }

    Optional<PhotoView> photo(long id, @Nullable Visitor visitor) {
        return this.photos.findById(id).map((photo) -> views(List.of(photo), visitor).get(0));
    }

    private static IdWindow below(IdWindow window, @Nullable Long before) {
        if (before == null) {
            return window;
        }
        long last = Math.min(window.lastId(), Math.max(before, 0) - 1);
        return new IdWindow(window.firstId(), Math.max(last, window.firstId() - 1));
    }

    /**
     * One photo more than the page holds was read: it shows whether there are older ones.
     */
    private FeedPage page(List<Photo> found, int limit, @Nullable Visitor visitor) {
        List<PhotoView> photos = views(found.subList(0, Math.min(limit, found.size())), visitor);
        return new FeedPage(photos, (found.size() > limit) ? photos.get(limit - 1).id() : null);
    }

    private List<PhotoView> views(List<Photo> photos, @Nullable Visitor visitor) {
        Map<Long, LikeView> likes = this.tally.of(photos.stream().map(Photo::getId).toList(), visitor);
        return photos.stream().map((photo) -> view(photo, likes.get(photo.getId()))).toList();
    }

    private PhotoView view(Photo photo, @Nullable LikeView likes) {
        long id = photo.getId();
        return new PhotoView(id, photo.getCaption(), UserView.of(photo.getAuthor(), this.layout),
                this.layout.shardOf(id), this.layout.workerOf(id), this.layout.instantOf(id), photo.getWidth(),
                photo.getHeight(), (likes != null) ? likes.likes() : 0, likes != null && likes.liked(),
                "/photos/" + id + "/image");
    }

}
