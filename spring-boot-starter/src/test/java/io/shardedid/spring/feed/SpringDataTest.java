package io.shardedid.spring.feed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIdEngine;
import org.hibernate.Session;
import org.hibernate.stat.Statistics;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.boot.jpa.test.autoconfigure.TestEntityManager;
import org.springframework.orm.ObjectOptimisticLockingFailureException;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Spring Data's repositories, in its slice test.
 */
@DataJpaTest(properties = { "shardedid.worker.mode=fixed", "shardedid.worker.id=24", "shardedid.clock.max-ahead=10ms",
        "shardedid.on-key-change=fail", "spring.jpa.properties.hibernate.generate_statistics=true" })
class SpringDataTest {

    @Autowired
    private ShardedIdEngine ids;

    @Autowired
    private Authors authors;

    @Autowired
    private Photos photos;

    @Autowired
    private Visits visits;

    @Autowired
    private TestEntityManager entities;

    private Statistics statistics;

    @BeforeEach
    void clearStatistics() {
        this.statistics = this.entities.getEntityManager().unwrap(Session.class).getSessionFactory().getStatistics();
        this.statistics.clear();
    }

    @Test
    void savesWithAnObjectId() {
        Author author = this.authors.save(new Author());
        assertThat(author.getId()).isPositive();
        this.entities.flush();
        assertThat(this.statistics.getPrepareStatementCount()).isEqualTo(1);
    }

    @Test
    void savesWithAPrimitiveId() {
        Visit visit = this.visits.save(new Visit(5));
        assertThat(this.ids.shardOf(visit.getId())).isEqualTo(5);
        this.entities.flush();
        assertThat(this.statistics.getPrepareStatementCount()).isEqualTo(1);
    }

    /** Spring Data takes a row with an id for an old one, and Hibernate finds none. */
    @Test
    void refusesToSaveAnIdThatWasSetByHand() {
        Visit visit = new Visit(5);
        long id = this.ids.nextFor(5L);
        ReflectionTestUtils.setField(visit, "id", id);
        assertThatExceptionOfType(ObjectOptimisticLockingFailureException.class)
            .isThrownBy(() -> this.visits.save(visit))
            // each version of Hibernate has its own words for it
            .withMessageMatching("Row was (already )?updated or deleted by another transaction .*\\["
                    + Visit.class.getName() + "( with id '|#)" + id + "'?]");
        assertThat(this.statistics.getEntityInsertCount()).isZero();
    }

    /** The second text is Hibernate's; the tests of the generator hold it. */
    @Test
    void pageOnTroubleshootingKnowsTheTextsOfHibernate() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "operating.md")).replaceAll("\\s+", " ");

        assertThat(page).contains("`Row was already updated or deleted by another transaction …` at `save`",
                ObjectOptimisticLockingFailureException.class.getSimpleName(),
                "without bulk insertion capable identifier generator: @ShardedId (an insert-select in HQL must name "
                        + "the id among the inserted attributes, and select it)");
    }

    @Test
    void savesAllWithAnObjectId() {
        Author author = this.authors.save(new Author());
        List<Photo> saved = this.photos.saveAll(List.of(new Photo(author, "one"), new Photo(author, "two")));
        assertThat(saved).extracting(Photo::getId)
            .isSorted()
            .allMatch((id) -> this.ids.shardOf(id) == this.ids.shardOf(author.getId()));
        this.entities.flush();
        assertThat(this.statistics.getPrepareStatementCount()).isEqualTo(3);
    }

    @Test
    void savesAllWithAPrimitiveId() {
        List<Visit> saved = this.visits.saveAll(List.of(new Visit(5), new Visit(6)));
        assertThat(saved).extracting((visit) -> this.ids.shardOf(visit.getId())).containsExactly(5, 6);
        this.entities.flush();
        assertThat(this.statistics.getPrepareStatementCount()).isEqualTo(2);
    }

    @Test
    void savesAgainWithoutANewId() {
        Visit visit = this.visits.saveAndFlush(new Visit(5));
        this.entities.clear();
        assertThat(this.visits.saveAndFlush(visit).getId()).isEqualTo(visit.getId());
        assertThat(this.visits.count()).isEqualTo(1);
    }

    @Test
    void findsByTheShardOfTheId() {
        this.visits.saveAll(List.of(new Visit(5), new Visit(6), new Visit(5)));
        assertThat(this.visits.findByShard(5)).extracting(Visit::getUserId).containsExactly(5L, 5L);
    }

    @Test
    void refusesAnotherShardWhereThePropertySaysSo() {
        Visit visit = this.visits.saveAndFlush(new Visit(5));
        visit.setUserId(6);
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> this.visits.flush())
            .withMessageContainingAll(Visit.class.getName(), "userId", "id=" + visit.getId(), "shard of the key=6",
                    "'shardedid.on-key-change'");
    }

}
