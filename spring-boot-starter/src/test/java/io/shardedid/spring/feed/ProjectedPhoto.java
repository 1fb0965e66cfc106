package io.shardedid.spring.feed;

import java.io.IOException;
import java.io.UncheckedIOException;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.shardedid.spring.test.PredictableIds;
import org.junit.jupiter.api.BeforeEach;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;

/** A photo, the views of it, and what both Jacksons make of them. */
@SpringBootTest(classes = FeedApplication.class)
@PredictableIds
@Transactional
abstract class ProjectedPhoto {

    @Autowired
    Authors authors;

    @Autowired
    Photos photos;

    @Autowired
    PhotoViews views;

    @Autowired
    JsonMapper jackson3;

    @Autowired
    ObjectMapper jackson2;

    long author;

    long photo;

    @BeforeEach
    void store() {
        Author author = this.authors.save(new Author());
        this.author = author.getId();
        this.photo = this.photos.saveAndFlush(new Photo(author, "dawn")).getId();
        assertThat(this.photo).isGreaterThan(1L << 53);
    }

    void assertJson(Object value, String json) {
        try {
            assertThat(this.jackson3.readTree(this.jackson3.writeValueAsString(value)))
                .isEqualTo(this.jackson3.readTree(json));
            assertThat(this.jackson2.readTree(this.jackson2.writeValueAsString(value)))
                .isEqualTo(this.jackson2.readTree(json));
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

}
