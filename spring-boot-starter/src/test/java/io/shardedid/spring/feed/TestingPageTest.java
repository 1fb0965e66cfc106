package io.shardedid.spring.feed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

import io.shardedid.ShardedIds;
import io.shardedid.spring.test.PredictableIds;
import io.shardedid.test.TestClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;

import static org.assertj.core.api.Assertions.assertThat;

/** The example of docs/testing.md, in a class with more tests than one. */
@DataJpaTest
@PredictableIds(start = "2025-06-01T12:00:00Z")
class TestingPageTest {

    @Autowired
    TestClock clock;

    @Autowired
    ShardedIds ids;

    @Autowired
    Photos photos;

    @Autowired
    Authors authors;

    private Author author;

    @BeforeEach
    void author() {
        this.author = this.authors.save(new Author());
    }

    // The method of the page. It runs twice, so that one of them is not the first of the
    // context.
    @RepeatedTest(2)
    void newestComesFirst() {
        Instant start = clock.instant();
        Photo old = photos.save(new Photo(author, "old"));
        clock.advance(Duration.ofDays(1));
        Photo young = photos.save(new Photo(author, "young"));

        assertThat(ids.parse(old.getId()).instant()).isEqualTo(start);
        assertThat(photos.findAllByOrderByIdDesc()).containsExactly(young, old);
    }

    @Test
    void pageShowsThatMethod() throws IOException {
        String source = methodOf(
                Files.readString(Path.of("src/test/java/io/shardedid/spring/feed/TestingPageTest.java")));

        assertThat(source).contains("isEqualTo(start)");
        assertThat(methodOf(Files.readString(Path.of("../docs/testing.md")))).isEqualTo(source);
    }

    private static String methodOf(String text) {
        int start = text.indexOf("    void newestComesFirst() {");
        return text.substring(start, text.indexOf("\n    }\n", start));
    }

}
