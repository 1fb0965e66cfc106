package io.shardedid.sample.demo;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;

import javax.sql.DataSource;

import io.shardedid.IdLayout;
import io.shardedid.ShardFunction;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLease;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.sample.user.Users;
import jakarta.persistence.PersistenceException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jpa.EntityManagerFactoryBuilder;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;

import javax.imageio.ImageIO;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * The rows of a first start.
 */
@SpringBootTest(webEnvironment = WebEnvironment.MOCK, properties = "spring.datasource.url=jdbc:h2:mem:demo")
class DemoDataTest {

    @Autowired
    private ShardedIdEngine ids;

    @Autowired
    private OwnLease lease;

    @Autowired
    private DemoData demo;

    @Autowired
    private JdbcTemplate sql;

    @Autowired
    private ShardedIdSettings settings;

    @Autowired
    private EntityManagerFactoryBuilder factories;

    @Autowired
    private PersistenceManagedTypes entities;

    @Autowired
    private DataSource database;

    @Test
    void fivePeopleLiveInFiveShards() {
        assertThat(DemoPhoto.ALL.stream()
            .map(DemoPhoto::author)
            .distinct()
            .map((name) -> ShardFunction.hash().shardOf(name, 2000))
            .sorted()).containsExactly(635, 929, 939, 1019, 1063);
    }

    /** Whenever it starts, there is a photo of each of the last three days. */
    @Test
    void photosAreLessThanADayApartAndTheNewestIsTheLast() {
        List<Integer> ages = DemoPhoto.ALL.stream().map(DemoPhoto::minutes).toList();
        assertThat(ages).isSortedAccordingTo(Comparator.reverseOrder()).doesNotHaveDuplicates();
        assertThat(ages.get(0)).isBetween(2 * 24 * 60, 3 * 24 * 60);
        for (int i = 1; i < ages.size(); i++) {
            assertThat(ages.get(i - 1) - ages.get(i)).isLessThan(24 * 60);
        }
    }

    /** The worker id of this process, and ticks that end before its lease begins. */
    @Test
    void idsAreOfThePastAndNoIdOfALeaseEqualsThem() {
        IdLayout layout = this.ids.layout();
        WorkerLease own = Objects.requireNonNull(this.lease.first());
        List<Long> made = List.of("app_user", "photo", "photo_like")
            .stream()
            .flatMap((table) -> this.sql.queryForList("select id from " + table, Long.class).stream())
            .toList();
        assertThat(made).hasSizeGreaterThan(2 * DemoPhoto.ALL.size()).doesNotHaveDuplicates().allSatisfy((id) -> {
            assertThat(layout.workerOf(id)).isEqualTo(own.worker());
            assertThat(layout.instantOf(id)).isBetween(own.from().minus(Duration.ofDays(4)), own.from())
                .isNotEqualTo(own.from());
            assertThat(this.ids.problemsWith(id)).isEmpty();
        });
        assertThat(LongStream.generate(this.ids::next).limit(1000).map(layout::tickOf))
            .allMatch((tick) -> tick >= layout.tickAt(own.from()));
    }

    @Test
    void photosAreAsOldAsTheirIdsSayAndInTheShardsOfTheirAuthors() {
        Instant from = Objects.requireNonNull(this.lease.first()).from();
        assertThat(this.sql.queryForList("select id from photo order by id", Long.class))
            .extracting((id) -> Duration.between(this.ids.layout().instantOf(id), from).toMinutes())
            .containsExactlyElementsOf(DemoPhoto.ALL.stream().map((photo) -> (long) photo.minutes()).toList());
        this.sql.query("select id, author_id from photo", (row) -> {
            assertThat(this.ids.shardOf(row.getLong(1))).isEqualTo(this.ids.shardOf(row.getLong(2)));
        });
    }

    /** What keeps ids of the past below those of the lease, whatever the clock shows. */
    @Test
    void thePastMakesNoIdOfTheLease() {
        WorkerLease own = Objects.requireNonNull(this.lease.first());
        DemoTime time = new DemoTime(own.from().minusSeconds(1));
        try (ShardedIds past = ShardedIds.builder().workers(new PastLease(own, time)).timeSource(time).open()) {
            assertThat(past.layout().instantOf(past.next(5))).isBefore(own.from());
            time.goOnTo(own.from());
            assertThatExceptionOfType(ShardedIdException.class).isThrownBy(() -> past.next(5))
                .withMessageContaining("sample.demo-data");
        }
    }

    @Test
    void aSecondStartAddsNothing() {
        long before = photos();
        this.demo.afterSingletonsInstantiated();
        assertThat(photos()).isEqualTo(before);
    }

    /** Two processes fill one empty database at the same moment. */
    @Test
    void letsTheOtherProcessFillIt() {
        long before = photos();
        assertThatCode(() -> start(1, 1, false, true)).doesNotThrowAnyException();
        assertThat(photos()).isEqualTo(before);
    }

    @Test
    void failsIfNobodyFilledIt() {
        assertThatExceptionOfType(PersistenceException.class).isThrownBy(() -> start(2, 1, false, false));
    }

    /** Its past may have been somebody's. */
    @Test
    void addsNothingUnderAWorkerIdThatWasLeasedBefore() {
        assertThatCode(() -> start(3, 2, false, false)).doesNotThrowAnyException();
    }

    /** Starts as a process with another worker id, where others have been faster. */
    private void start(int worker, long acquisitions, Boolean before, Boolean after) {
        WorkerLease own = Objects.requireNonNull(this.lease.first());
        OwnLease other = new OwnLease();
        other.leased(new WorkerLease(worker, "other", acquisitions, own.until(), own.from(), own.to()));
        Users slow = mock();
        given(slow.existsBy()).willReturn(before, after);
        new DemoData(slow, other, this.settings, this.factories, this.entities, this.database)
            .afterSingletonsInstantiated();
    }

    private long photos() {
        return Objects.requireNonNull(this.sql.queryForObject("select count(*) from photo", Long.class));
    }

    @Test
    void eachPhotoHasAPictureOfTheSizeThatItTells() throws IOException {
        for (DemoPhoto photo : DemoPhoto.ALL) {
            BufferedImage shown = ImageIO.read(new ByteArrayInputStream(photo.image().jpeg()));
            assertThat(photo.image().width()).as(photo.picture()).isEqualTo(shown.getWidth());
            assertThat(photo.image().height()).as(photo.picture()).isEqualTo(shown.getHeight());
        }
    }

}
