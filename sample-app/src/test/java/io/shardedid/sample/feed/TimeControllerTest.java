package io.shardedid.sample.feed;

import java.time.Instant;
import java.util.UUID;

import io.shardedid.IdLayout;
import io.shardedid.ShardedIds;
import io.shardedid.sample.SampleTest;
import io.shardedid.sample.user.User;
import io.shardedid.sample.user.Users;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A day on the page begins and ends with the day, to the tick.
 */
@SampleTest
class TimeControllerTest {

    private static final Instant BEGINS = Instant.parse("2025-06-01T00:00:00Z");

    private static final Instant ENDS = Instant.parse("2025-06-02T00:00:00Z");

    @Autowired
    private MockMvcTester mvc;

    @Autowired
    private ShardedIds ids;

    @Autowired
    private Users users;

    @Autowired
    private JdbcTemplate sql;

    private long author;

    @BeforeEach
    void publishAtTheEdges() {
        this.author = this.users.save(new User(UUID.randomUUID().toString())).getId();
        IdLayout layout = this.ids.layout();
        insert(layout.firstIdAt(BEGINS) - 1, "the last of the day before");
        insert(layout.firstIdAt(BEGINS), "the first of the day");
        insert(layout.firstIdAt(ENDS) - 1, "the last of the day");
        insert(layout.firstIdAt(ENDS), "the first of the day after");
    }

    @AfterEach
    void remove() {
        this.sql.update("delete from photo where author_id = ?", this.author);
    }

    @Test
    void aDayHoldsItsFirstAndItsLastTickAndNoOther() {
        assertThat(this.mvc.get().uri("/time?day=2025-06-01")).hasStatusOk()
            .bodyText()
            .contains(">the first of the day<", ">the last of the day<")
            .doesNotContain("the last of the day before", "the first of the day after");
    }

    @Test
    void aSpanExcludesItsEnd() {
        assertThat(this.mvc.get().uri("/time?from=2025-05-31T12:00&to=2025-06-01T00:00")).hasStatusOk()
            .bodyText()
            .contains(">the last of the day before<")
            .doesNotContain("the first of the day");
    }

    private void insert(long id, String caption) {
        this.sql.update("insert into photo (id, author_id, caption, width, height) values (?, ?, ?, 4, 3)", id,
                this.author, caption);
    }

}
