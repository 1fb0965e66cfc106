package io.shardedid.routing;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import com.acme.photos.Countries;
import com.acme.photos.Feed;
import com.acme.photos.Photo;
import com.acme.photos.Photos;
import com.acme.photos.PhotosApplication;
import io.shardedid.shards.ShardDirectory;
import io.shardedid.shards.ShardMovedException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The home database says nothing for a minute, which is longer than two refreshes and 30
 * s. What is in other databases is read and changed all the while.
 */
@Tag("database")
@Tag("proof")
class HomeAwayIT {

    private static final TwoServers SERVERS = TwoServers.SERVERS;

    private static final Duration AWAY = Duration.ofMinutes(1);

    @Test
    void shardsOfOtherDatabasesAreReadAndChangedWhileTheHomeDatabaseIsAway() {
        SERVERS.makeTables();
        SERVERS.fence("photo", "comment");
        try (ConfigurableApplicationContext application = start()) {
            Photos photos = application.getBean(Photos.class);
            Feed feed = application.getBean(Feed.class);
            long inB = photos.save(new Photo(1500, "a river")).getId();
            List<ProcessHandle> frozen = SERVERS.freeze("a");
            int calls = 0;
            try {
                for (long end = System.nanoTime() + AWAY.toNanos(); System.nanoTime() < end; calls++) {
                    assertThat(photos.findById(inB)).isPresent();
                    feed.rename(inB, "call " + calls);
                    LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
                }
                assertThatThrownBy(() -> application.getBean(Countries.class).findById("FI"))
                    .as("reference data are read in the home database")
                    .hasMessageContaining("a - Connection is not available");
            }
            finally {
                SERVERS.thaw(frozen);
            }
            assertThat(SERVERS.query("b", "select caption from photo")).containsExactly("call " + (calls - 1));
            await(application.getBean(ShardDirectory.class));
        }
    }

    /**
     * An attempt that began while the home database was away may end, and the pause after
     * it, before the map is asked for again. That is close to what {@code refresh} waits.
     */
    private static void await(ShardDirectory directory) {
        long end = System.nanoTime() + AWAY.toNanos();
        while (true) {
            try {
                assertThat(directory.refresh().version()).isPositive();
                return;
            }
            catch (ShardMovedException ex) {
                assertThat(System.nanoTime() - end).as(ex.getMessage()).isNegative();
            }
        }
    }

    private static ConfigurableApplicationContext start() {
        return new SpringApplicationBuilder(PhotosApplication.class).web(WebApplicationType.NONE)
            .properties(TwoDatabasesIT.PROPERTIES.lines().toArray(String[]::new))
            .run("--shardedid.databases.a.url=" + SERVERS.url("a"), "--shardedid.databases.b.url=" + SERVERS.url("b"),
                    "--shardedid.databases.refresh=1s", "--shardedid.worker.lease.namespace=home-away");
    }

}
