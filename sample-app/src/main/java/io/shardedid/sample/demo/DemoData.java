package io.shardedid.sample.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

import io.shardedid.sample.like.Liking;
import io.shardedid.sample.photo.Photo;
import io.shardedid.sample.photo.Publisher;
import io.shardedid.sample.photo.UploadedImage;
import io.shardedid.sample.user.User;
import io.shardedid.sample.user.Users;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
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

    private final Users users;

    private final Publisher publisher;

    private final Liking liking;

    DemoData(Users users, Publisher publisher, Liking liking) {
        this.users = users;
        this.publisher = publisher;
        this.liking = liking;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (this.users.existsBy()) {
            return;
        }
        Random random = new Random(SEED);
        Map<String, User> authors = new TreeMap<>();
        List<Photo> photos = new ArrayList<>();
        List<UploadedImage> images = images(random);
        for (int i = 0; i < images.size(); i++) {
            DemoPhoto demo = DemoPhoto.ALL.get(i);
            User author = authors.computeIfAbsent(demo.author(), (name) -> this.users.save(new User(name)));
            photos.add(this.publisher.publish(author, demo.caption(), images.get(i)));
        }
        for (Photo photo : photos) {
            authors.values()
                .stream()
                .filter((user) -> user != photo.getAuthor() && random.nextInt(5) < 3)
                .forEach((user) -> this.liking.like(photo, user));
        }
        LOG.info("First start: made {} users and {} photos", authors.size(), photos.size());
    }

    /** By all processors at once: the start waits for it. */
    private static List<UploadedImage> images(Random random) {
        long[] seeds = random.longs(DemoPhoto.ALL.size()).toArray();
        return IntStream.range(0, seeds.length)
            .parallel()
            .mapToObj((i) -> UploadedImage.read(Painting.png(DemoPhoto.ALL.get(i), seeds[i])))
            .toList();
    }

}
