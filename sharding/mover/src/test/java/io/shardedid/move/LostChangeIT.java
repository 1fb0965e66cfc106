package io.shardedid.move;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import com.acme.photos.Photo;
import com.acme.photos.Photos;
import com.acme.photos.PhotosApplication;
import io.shardedid.TimeSource;
import io.shardedid.shards.ShardDirectory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A router that runs while its map loses the move of a shard, and another shard moves by
 * a map of the same version. It finds the rows of both all the time, and no row is
 * deleted where it looks for it.
 */
@Tag("proof")
@Tag("nightly")
@Tag("database")
class LostChangeIT {

    private static final ShardRanges FIVE = ShardRanges.parse("5");

    private static final ShardRanges SIX = ShardRanges.parse("6");

    private static final String OLDER = "Shard map is older than shardedid_home: shards=5, from=a, to=b (";

    @RegisterExtension
    static final TwoServers servers = new TwoServers();

    private TwoDatabases databases;

    private ConfigurableApplicationContext application;

    private Photos photos;

    private ShardDirectory directory;

    private Photo five;

    private Photo six;

    @BeforeEach
    void losesAMove() {
        this.databases = new TwoDatabases(servers);
        this.application = new SpringApplicationBuilder(PhotosApplication.class).web(WebApplicationType.NONE)
            .properties("shardedid.databases.a.username=postgres", "shardedid.databases.b.username=postgres",
                    "shardedid.databases.home=a", "shardedid.databases.initial-map=0-8: a, 9: b, 10-19: a",
                    "shardedid.databases.refresh=1s", "shardedid.shards=20",
                    "shardedid.worker.lease.initialize-schema=always", "spring.jpa.open-in-view=false")
            .run("--shardedid.databases.a.url=" + servers.a.url(this.databases.name()),
                    "--shardedid.databases.b.url=" + servers.b.url(this.databases.name()));
        this.photos = this.application.getBean(Photos.class);
        this.directory = this.application.getBean(ShardDirectory.class);
        // shard keys are their own shards
        this.five = this.photos.save(new Photo(5, "of five"));
        this.six = this.photos.save(new Photo(6, "of six"));
        this.databases.keepMap();
        this.databases.mover().move(FIVE, "b");
        assertThat(this.databases.rows("a", 5)).isEmpty();
        assertBothAreFound();
        this.databases.loseChanges();
        await(() -> this.directory.problem().startsWith("Shards have gone back in the table of the shard map: "));
        assertBothAreFound();
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().move(SIX, "b"))
            .withMessageContaining(OLDER);
    }

    @AfterEach
    void ends() {
        this.application.close();
    }

    private void assertBothAreFound() {
        assertThat(this.photos.findById(this.five.getId())).isPresent();
        assertThat(this.photos.findById(this.six.getId())).isPresent();
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(20_000_000);
        }
    }

    private MoveContext context() {
        MoveLimits limits = TwoDatabases.LIMITS;
        return new MoveContext(this.databases.databases(), new MoveLimits(limits.statement(), limits.lock(),
                limits.pause(), limits.patience(), limits.copy(), Duration.ofSeconds(5)), SIX, (progress) -> {
                }, Session.Probe.NONE, TimeSource.system());
    }

    private void mend() {
        String older = this.databases.mover()
            .status()
            .problems()
            .stream()
            .filter((problem) -> problem.startsWith(OLDER))
            .findFirst()
            .orElseThrow();
        this.databases.mendMap(older);
        this.databases.mover().resume(FIVE);
    }

    @Test
    void rowsOfBothShardsAreFoundUntilTheMapIsMendedAndAfterwards() throws SQLException {
        try (Move move = new Move(context())) {
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> move.move("b"))
                .withMessageStartingWith("Waited too long for routers to go by version 2 of the map: shards=6, ");
        }
        assertThat(this.directory.current().version()).as("the lost one").isEqualTo(2);
        assertThat(this.databases.rows("a", 6)).as("where the router looks").isNotEmpty();
        assertBothAreFound();
        this.databases.execute("b", "UPDATE photo SET caption = 'written at b'");

        mend();
        assertThat(this.directory.refresh().version()).isEqualTo(3);
        assertThat(this.directory.problem()).isEmpty();
        assertThat(this.databases.mover().resume(SIX).outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        assertThat(this.databases.rows("a", 6)).isEmpty();
        assertThat(this.photos.findAllById(List.of(this.five.getId(), this.six.getId()))).hasSize(2)
            .allMatch((photo) -> photo.getCaption().equals("written at b"));
        assertThat(this.databases.leftovers()).isEmpty();
        assertThat(this.databases.mover().status().well()).isTrue();
    }

    /** The broken variant, which the first test finds. */
    @Test
    void moverThatBelievesAnyIdentityDeletesRowsWhereTheRouterLooks() throws SQLException {
        MoveContext context = context();
        OlderRouters believing = new OlderRouters(context) {

            @Override
            String behind() {
                return " AND version_seen < " + context.state().version();
            }

        };
        try (Move move = new Move(context) {

            @Override
            boolean nobodyIsBehind() throws SQLException {
                return believing.left().isEmpty();
            }

        }) {
            move.move("b");
        }
        assertThat(this.photos.findById(this.five.getId())).isPresent();
        assertThat(this.photos.findById(this.six.getId())).as("a lost answer").isEmpty();
        assertThat(this.databases.rows("b", 6)).as("its row is there").contains("of six");
    }

}
