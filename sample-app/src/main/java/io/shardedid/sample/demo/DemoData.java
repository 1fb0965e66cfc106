package io.shardedid.sample.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import io.shardedid.TimeSource;
import io.shardedid.routing.Shards;
import io.shardedid.sample.like.Liking;
import io.shardedid.sample.photo.Photo;
import io.shardedid.sample.photo.Publisher;
import io.shardedid.sample.user.User;
import io.shardedid.sample.user.Users;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.stereotype.Component;

/**
 * Fills an empty database with users, photos and likes before the port opens, so that the
 * first page of a first start shows a feed. {@code sample.demo-data=false} leaves it
 * empty.
 */
@Component
@ConditionalOnBooleanProperty(name = "sample.demo-data", matchIfMissing = true)
class DemoData implements SmartInitializingSingleton {

    private static final Logger LOG = LoggerFactory.getLogger(DemoData.class);

    private static final long SEED = 2012;

    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Users users;

    private final Publisher publisher;

    private final Liking liking;

    private final Shards shards;

    DemoData(Users users, Publisher publisher, Liking liking, Shards shards) {
        this.users = users;
        this.publisher = publisher;
        this.liking = liking;
        this.shards = shards;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (anybodyIsThere()) {
            return;
        }
        try {
            fill();
        }
        catch (DataIntegrityViolationException twice) {
            // Another instance started at the same moment: the unique names let one of
            // them in.
            if (!anybodyIsThere()) {
                throw twice;
            }
        }
    }

    private boolean anybodyIsThere() {
        return this.shards.inEach(this.users::existsBy).containsValue(true);
    }

    /** A photo, and the likes of a photo, are transactions of their own. */
    private void fill() {
        Map<String, User> authors = new TreeMap<>();
        List<Photo> photos = new ArrayList<>();
        for (DemoPhoto demo : DemoPhoto.ALL) {
            User author = authors.computeIfAbsent(demo.author(), (name) -> this.users.save(new User(name)));
            photos.add(this.publisher.publish(author, demo.caption(), demo.image()));
            // Within one tick ids sort by shard: each photo gets a tick of its own.
            TimeSource.system().park(TICK_NANOS);
        }
        Random random = new Random(SEED);
        for (Photo photo : photos) {
            this.liking.likeNew(photo,
                    authors.values()
                        .stream()
                        .filter((user) -> user != photo.getAuthor() && random.nextInt(5) < 3)
                        .toList());
        }
        LOG.info("First start: made {} users and {} photos", authors.size(), photos.size());
    }

}
