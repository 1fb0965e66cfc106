package io.shardedid.spring.feed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.shardedid.spring.test.PredictableIds;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.data.domain.Pageable;
import org.springframework.test.context.TestPropertySource;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;

/** What becomes of ids that leave in projections of repositories, by both Jacksons. */
@SpringBootTest(classes = FeedApplication.class)
@PredictableIds
@Transactional
@SuppressWarnings("removal")
class ProjectedIdsTest {

    @Autowired
    private Authors authors;

    @Autowired
    private Photos photos;

    @Autowired
    private PhotoViews views;

    @Autowired
    private JsonMapper jackson3;

    @Autowired
    private ObjectMapper jackson2;

    private long author;

    private long photo;

    @BeforeEach
    void store() {
        Author author = this.authors.save(new Author());
        this.author = author.getId();
        this.photo = this.photos.saveAndFlush(new Photo(author, "dawn")).getId();
        assertThat(this.photo).isGreaterThan(1L << 53);
    }

    @Test
    void interfaceWithAFlattenedPath() {
        assertJson(this.views.findByCaption("dawn"),
                "[{\"id\":\"%d\",\"authorId\":\"%d\",\"caption\":\"dawn\"}]".formatted(this.photo, this.author));
    }

    @Test
    void nestedInterface() {
        assertJson(this.views.findFirstByCaption("dawn").orElseThrow(),
                "{\"author\":{\"id\":\"%d\"}}".formatted(this.author));
    }

    @Test
    void recordOfADerivedQuery() {
        assertJson(this.views.findRecordByCaption("dawn"),
                "[{\"id\":\"%d\",\"authorId\":\"%d\",\"caption\":\"dawn\"}]".formatted(this.photo, this.author));
    }

    @Test
    void recordThatAQueryConstructsWithTheNamesOfAttributes() {
        assertJson(this.views.construct("dawn"),
                "[{\"id\":\"%d\",\"authorId\":\"%d\",\"characters\":4}]".formatted(this.photo, this.author));
    }

    @Test
    void recordInAPage() {
        assertJson(this.views.findPageByCaption("dawn", Pageable.ofSize(5)).getContent(),
                "[{\"id\":\"%d\"}]".formatted(this.photo));
    }

    @Test
    void interfaceThatIsOnlyNamedInACall() {
        assertJson(this.views.findDynamicByCaption("dawn", PhotoViews.DynamicView.class),
                "[{\"id\":\"%d\"}]".formatted(this.photo));
    }

    @Test
    void recordThatIsOnlyNamedInACall() {
        assertJson(this.views.findDynamicByCaption("dawn", PhotoViews.DynamicRecord.class),
                "[{\"authorId\":\"%d\"}]".formatted(this.author));
    }

    @Test
    void entityThatIsNamedInACall() {
        assertThat(this.jackson3.writeValueAsString(this.views.findDynamicByCaption("dawn", Photo.class)))
            .contains("\"id\":\"%d\"".formatted(this.photo));
    }

    @Test
    void recordsAreReadFromStringsAndNumbers() throws Exception {
        String json = "{\"id\":\"%d\",\"authorId\":7,\"caption\":\"dawn\"}".formatted(this.photo);
        this.views.findRecordByCaption("dawn");

        assertThat(List.of(this.jackson3.readValue(json, PhotoViews.PhotoRecord.class),
                this.jackson2.readValue(json, PhotoViews.PhotoRecord.class)))
            .containsOnly(new PhotoViews.PhotoRecord(this.photo, 7L, "dawn"));
    }

    /** What docs/json.md lists. */
    @Test
    void otherNamesAndSpelAreNotRecognized() {
        assertJson(this.views.rename("dawn"), "[{\"photo\":%d}]".formatted(this.photo));
        assertJson(this.views.alias("dawn"), "[{\"photoNumber\":%d}]".formatted(this.photo));
        assertJson(this.views.findOpenByCaption("dawn"), "[{\"number\":%d}]".formatted(this.photo));
    }

    private void assertJson(Object value, String json) {
        assertThat(this.jackson3.readTree(this.jackson3.writeValueAsString(value)))
            .isEqualTo(this.jackson3.readTree(json));
        try {
            assertThat(this.jackson2.readTree(this.jackson2.writeValueAsString(value)))
                .isEqualTo(this.jackson2.readTree(json));
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    @Nested
    @TestPropertySource(properties = "shardedid.json.as-string=unsafe")
    class UnsafeNumbersAsStrings {

        @Test
        void whatCannotBeRecognizedLeavesAsStringToo() {
            ProjectedIdsTest outer = ProjectedIdsTest.this;
            assertJson(outer.views.rename("dawn"), "[{\"photo\":\"%d\"}]".formatted(outer.photo));
            assertJson(outer.views.alias("dawn"), "[{\"photoNumber\":\"%d\"}]".formatted(outer.photo));
            assertJson(outer.views.findOpenByCaption("dawn"), "[{\"number\":\"%d\"}]".formatted(outer.photo));
        }

        /** What makes a test with ids 1 and 2 differ from production. */
        @Test
        void smallNumbersThatAreNotRecognizedStayNumbers() {
            assertJson(new PhotoViews.Renamed(1L), "{\"photo\":1}");
        }

    }

    @Nested
    @TestPropertySource(properties = "shardedid.json.as-string=false")
    class IdsAsNumbers {

        @Test
        void projectionsCarryNumbers() {
            ProjectedIdsTest outer = ProjectedIdsTest.this;
            assertJson(outer.views.findDynamicByCaption("dawn", PhotoViews.DynamicView.class),
                    "[{\"id\":%d}]".formatted(outer.photo));
        }

    }

}
