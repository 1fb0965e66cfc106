package io.shardedid.sample.feed;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;

import io.shardedid.IdWindow;
import io.shardedid.sample.SampleImages;
import io.shardedid.sample.SampleTest;
import io.shardedid.sample.photo.Publisher;
import io.shardedid.sample.photo.Picture;
import io.shardedid.sample.user.User;
import io.shardedid.sample.user.Users;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Scrolling while others publish: what page numbers get wrong.
 */
@SampleTest
class FeedTest {

    private static final int PHOTOS = 30;

    private static final int LIMIT = 7;

    private final Picture image = SampleImages.picture(8, 6);

    private final List<Long> published = new ArrayList<>();

    @Autowired
    private Feed feed;

    @Autowired
    private Users users;

    @Autowired
    private Publisher publisher;

    private User author;

    @BeforeEach
    void publish() {
        this.author = this.users.save(new User(UUID.randomUUID().toString()));
        for (int i = 0; i < PHOTOS; i++) {
            this.published.add(publishOne());
        }
        Collections.reverse(this.published);
    }

    @Test
    void pagesOfAUserHoldEachPhotoOnceWhileTheUserPublishes() {
        assertThat(scroll((before) -> this.feed.newestOf(this.author.getId(), before, LIMIT, null)))
            .containsExactlyElementsOf(this.published);
    }

    @Test
    void pagesOfAllHoldEachPhotoOnceWhileSomebodyPublishes() {
        assertThat(scroll((before) -> this.feed.newest(before, LIMIT, null)).subList(0, PHOTOS))
            .containsExactlyElementsOf(this.published);
    }

    @Test
    void pagesOfATimeHoldEachPhotoOnceWhileSomebodyPublishes() {
        IdWindow window = new IdWindow(this.published.get(PHOTOS - 1), Long.MAX_VALUE);
        assertThat(scroll((before) -> this.feed.newestWithin(window, before, LIMIT, null)))
            .containsExactlyElementsOf(this.published);
    }

    @ParameterizedTest
    @ValueSource(longs = { 0, -1, Long.MIN_VALUE })
    void nothingIsOlderThanTheFirstId(long before) {
        assertThat(this.feed.newest(before, LIMIT, null).photos()).isEmpty();
        assertThat(this.feed.newestOf(this.author.getId(), before, LIMIT, null).photos()).isEmpty();
        assertThat(this.feed.newestWithin(new IdWindow(9, 17), before, LIMIT, null).photos()).isEmpty();
    }

    private List<Long> scroll(Pages pages) {
        List<Long> seen = new ArrayList<>();
        Long before = null;
        do {
            FeedPage page = pages.below(before);
            page.photos().forEach((photo) -> seen.add(photo.id()));
            before = page.older();
            publishOne();
        }
        while (before != null && seen.size() < 2 * PHOTOS);
        return seen;
    }

    private long publishOne() {
        return this.publisher.publish(this.author, "", this.image).getId();
    }

    private interface Pages {

        FeedPage below(@Nullable Long before);

    }

}
