package io.shardedid.sample.demo;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;

import io.shardedid.ShardedIds;
import io.shardedid.routing.Shards;
import io.shardedid.sample.photo.UploadedImage;
import io.shardedid.sample.user.Users;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Fills an empty database with users, photos and likes of the last days before the port
 * opens, so that the first page of a first start shows a feed.
 * {@code sample.demo-data=false} leaves it empty.
 *
 * <p>
 * The generator makes ids of the present alone. So these are composed, as if two
 * processes had made them, and SQL writes the rows, as an import does.
 */
@Component
@ConditionalOnBooleanProperty(name = "sample.demo-data", matchIfMissing = true)
class DemoData implements SmartInitializingSingleton {

    private static final Logger LOG = LoggerFactory.getLogger(DemoData.class);

    private static final long SEED = 2012;

    private static final Duration SINCE = Duration.ofDays(4);

    private static final int PROCESSES = 2;

    private final Users users;

    private final ShardedIds ids;

    private final JdbcTemplate sql;

    private final TransactionTemplate transaction;

    private final Shards shards;

    DemoData(Users users, ShardedIds ids, JdbcTemplate sql, TransactionTemplate transaction, Shards shards) {
        this.users = users;
        this.ids = ids;
        this.sql = sql;
        this.transaction = transaction;
        this.shards = shards;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (anybodyIsThere()) {
            return;
        }
        try {
            fill(this.ids.clock().instant());
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

    private void fill(Instant now) {
        Map<String, Long> users = new TreeMap<>();
        for (DemoPhoto demo : DemoPhoto.ALL) {
            users.computeIfAbsent(demo.author(), (name) -> user(name, now.minus(SINCE)));
        }
        Random random = new Random(SEED);
        for (int i = 0; i < DemoPhoto.ALL.size(); i++) {
            DemoPhoto demo = DemoPhoto.ALL.get(i);
            long author = Objects.requireNonNull(users.get(demo.author()));
            long[] fans = users.values()
                .stream()
                .mapToLong((user) -> user)
                .filter((user) -> user != author && random.nextInt(5) < 3)
                .toArray();
            publish(demo, author, now.minus(Duration.ofMinutes(demo.minutes())), i % PROCESSES, fans);
        }
        LOG.info("First start: made {} users and {} photos", users.size(), DemoPhoto.ALL.size());
    }

    private long user(String name, Instant at) {
        long id = id(at, this.ids.shardOfKey(name), 0);
        this.shards.inShardOf(id, () -> {
            this.sql.update("insert into app_user (id, name) values (?, ?)", id, name);
        });
        return id;
    }

    /** A photo and its likes are in one shard, so one transaction takes them. */
    private void publish(DemoPhoto demo, long author, Instant at, int process, long... fans) {
        int shard = this.ids.shardOf(author);
        long id = id(at, shard, process);
        UploadedImage image = demo.image();
        this.shards.inShardOf(id, () -> this.transaction.executeWithoutResult((status) -> {
            this.sql.update("insert into photo (id, author_id, caption, width, height) values (?, ?, ?, ?, ?)", id,
                    author, demo.caption(), image.width(), image.height());
            this.sql.update("insert into photo_image (photo_id, media_type, original, thumbnail) values (?, ?, ?, ?)",
                    id, image.mediaType(), image.bytes(), image.thumbnail());
            Instant liked = at;
            for (long fan : fans) {
                liked = liked.plusSeconds(1);
                this.sql.update("insert into photo_like (id, photo_id, user_id) values (?, ?, ?)",
                        id(liked, shard, process), id, fan);
            }
        }));
    }

    private long id(Instant at, int shard, int process) {
        return this.ids.layout().compose(this.ids.layout().tickAt(at), shard, process, 0);
    }

}
