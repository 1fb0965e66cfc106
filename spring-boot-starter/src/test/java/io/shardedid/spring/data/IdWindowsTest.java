package io.shardedid.spring.data;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.shardedid.IdWindow;
import io.shardedid.ShardedIdEngine;
import io.shardedid.spring.feed.Author;
import io.shardedid.spring.feed.Authors;
import io.shardedid.spring.feed.FeedApplication;
import io.shardedid.spring.feed.Photo;
import io.shardedid.spring.feed.Photos;
import io.shardedid.spring.feed.Visit;
import io.shardedid.spring.feed.Visits;
import io.shardedid.spring.test.PredictableIds;
import io.shardedid.test.TestClock;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.data.domain.Range;
import org.springframework.data.domain.Sort;
import org.springframework.test.context.ContextConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Time windows and keyset scrolling by id, in the slice test of an application.
 */
@DataJpaTest
@ContextConfiguration(classes = FeedApplication.class)
@PredictableIds
class IdWindowsTest {

    @Autowired
    private ShardedIdEngine ids;

    @Autowired
    private TestClock clock;

    @Autowired
    private Authors authors;

    @Autowired
    private Photos photos;

    @Autowired
    private Visits visits;

    @Test
    void derivedQueryFindsTheRowsOfASpan() {
        Instant begin = this.clock.instant();
        List<Photo> stored = photosEach(Duration.ofMinutes(10), 12);

        IdWindow first = IdWindow.between(this.ids.layout(), begin, begin.plus(Duration.ofHours(1)));
        IdWindow second = IdWindow.between(this.ids.layout(), begin.plus(Duration.ofHours(1)),
                begin.plus(Duration.ofHours(2)));

        assertThat(this.photos.findByIdBetween(first.firstId(), first.lastId()))
            .containsExactlyInAnyOrderElementsOf(stored.subList(0, 6));
        assertThat(this.photos.findByIdBetween(second.firstId(), second.lastId()))
            .containsExactlyInAnyOrderElementsOf(stored.subList(6, 12));
    }

    @Test
    void rowOfTheBoundaryTickIsFoundOnce() {
        Instant begin = this.clock.instant();
        List<Photo> stored = photosEach(Duration.ofMillis(1), 20);

        for (int tick = 0; tick <= 20; tick++) {
            // also a cut inside a tick
            for (Instant cut : List.of(begin.plusMillis(tick), begin.plusMillis(tick).plusNanos(400_000))) {
                IdWindow before = IdWindow.between(this.ids.layout(), begin, cut);
                IdWindow after = IdWindow.between(this.ids.layout(), cut, begin.plusSeconds(1));
                List<Photo> found = new ArrayList<>(this.photos.findAll(IdWindows.within(before), Sort.by("id")));
                found.addAll(this.photos.findByIdBetween(after.firstId(), after.lastId()));
                assertThat(found).as("cut=%s", cut).containsExactlyInAnyOrderElementsOf(stored);
            }
        }
    }

    @Test
    void specificationFindsPrimitiveIdsAndOtherAttributes() {
        Instant begin = this.clock.instant();
        Visit early = this.visits.save(new Visit(5));
        this.clock.advance(Duration.ofHours(1));
        Visit late = this.visits.save(new Visit(early.getId()));
        IdWindow firstHalf = IdWindow.between(this.ids.layout(), begin, begin.plusSeconds(1800));

        assertThat(this.visits.findAll(IdWindows.within(firstHalf))).containsExactly(early);
        assertThat(this.visits.findAll(IdWindows.within("userId", firstHalf))).containsExactly(late);
    }

    @Test
    void bothEndsOfAWindowBelongToIt() {
        List<Photo> stored = photosEach(Duration.ofMillis(1), 5);
        IdWindow window = new IdWindow(stored.get(1).getId(), stored.get(3).getId());
        IdWindow one = new IdWindow(stored.get(2).getId(), stored.get(2).getId());

        assertThat(this.photos.findAll(IdWindows.within(window)))
            .containsExactlyInAnyOrderElementsOf(stored.subList(1, 4));
        assertThat(this.photos.findAll(IdWindows.within(one))).containsExactly(stored.get(2));
    }

    @Test
    void emptyWindowFindsNothing() {
        photosEach(Duration.ofMillis(1), 3);
        IdWindow none = IdWindow.between(this.ids.layout(), this.clock.instant(), this.clock.instant());

        assertThat(this.photos.findAll(IdWindows.within(none))).isEmpty();
        assertThat(this.photos.findByIdBetween(none.firstId(), none.lastId())).isEmpty();
    }

    @Test
    void rangeIsClosed() {
        assertThat(IdWindows.range(new IdWindow(3, 9))).isEqualTo(Range.closed(3L, 9L));
    }

    private List<Photo> photosEach(Duration step, int count) {
        Author author = this.authors.save(new Author());
        List<Photo> stored = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            stored.add(this.photos.save(new Photo(author, "photo " + i)));
            this.clock.advance(step);
        }
        return stored;
    }

}
