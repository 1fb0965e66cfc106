package io.shardedid.spring.feed;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.shardedid.spring.test.PredictableIds;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Ids in projections of repositories are strings where they are marked, by both Jacksons.
 */
@SpringBootTest(classes = FeedApplication.class)
@PredictableIds
@Transactional
@DirtiesContext
@ExtendWith(OutputCaptureExtension.class)
class ProjectedIdsTest {

    @Autowired
    private Authors authors;

    @Autowired
    private Photos photos;

    @Autowired
    private PhotoRows rows;

    @Autowired
    private JsonMapper jackson3;

    @Autowired
    private ObjectMapper jackson2;

    private long author;

    private long photo;

    @BeforeEach
    void store() {
        Author saved = this.authors.save(new Author());
        this.author = saved.getId();
        this.photo = this.photos.saveAndFlush(new Photo(saved, "dawn")).getId();
    }

    @Test
    void memberWithoutAMarkIsANumberAndTheLogNamesItsInterface(CapturedOutput log) throws Exception {
        assertJson(this.rows.findByCaption("dawn"), "[{\"id\":%s}]".formatted(this.photo));

        assertThat(log.getAll().lines().filter((line) -> line.contains("looks like an id"))).hasSizeGreaterThan(0)
            .allSatisfy((line) -> assertThat(line).contains("'id' of '" + PhotoRows.Row.class.getName() + "'",
                    "'@JsonShardedId'"));
    }

    @Test
    void markedMembersAreStrings(CapturedOutput log) throws Exception {
        assertJson(this.rows.findMarkedByCaption("dawn"),
                "[{\"id\":\"%s\",\"authorId\":\"%s\"}]".formatted(this.photo, this.author));
        assertThat(log.getAll()).doesNotContain("looks like an id");
    }

    @Test
    void recordHasOneOfEach(CapturedOutput log) throws Exception {
        assertJson(this.rows.findRecordByCaption("dawn"),
                "[{\"id\":\"%s\",\"authorId\":%s}]".formatted(this.photo, this.author));
        assertThat(log.getAll()).contains("'authorId' of '" + PhotoRows.RecordRow.class.getName() + "'");
    }

    private void assertJson(Object value, String json) throws Exception {
        assertThat(this.jackson3.readTree(this.jackson3.writeValueAsString(value)))
            .isEqualTo(this.jackson3.readTree(json));
        assertThat(this.jackson2.readTree(this.jackson2.writeValueAsString(value)))
            .isEqualTo(this.jackson2.readTree(json));
    }

}
