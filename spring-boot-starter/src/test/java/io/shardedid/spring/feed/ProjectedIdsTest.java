package io.shardedid.spring.feed;

import org.junit.jupiter.api.Test;

import org.springframework.data.domain.Pageable;

import static org.assertj.core.api.Assertions.assertThat;

/** What becomes of ids that leave in projections of repositories, by both Jacksons. */
class ProjectedIdsTest extends ProjectedPhoto {

    @Test
    void interfaceWithAFlattenedPath() {
        assertJson(this.views.findByCaption("dawn"),
                "[{\"id\":\"%s\",\"authorId\":\"%s\",\"caption\":\"dawn\"}]".formatted(this.photo, this.author));
    }

    @Test
    void nestedInterface() {
        assertJson(this.views.findFirstByCaption("dawn").orElseThrow(),
                "{\"author\":{\"id\":\"%s\"}}".formatted(this.author));
    }

    /** The same record may be filled by the application. */
    @Test
    void recordsSayThemselvesWhatIsAnId() {
        assertJson(this.views.findRecordByCaption("dawn"),
                "[{\"id\":%s,\"authorId\":%s,\"caption\":\"dawn\"}]".formatted(this.photo, this.author));
        assertJson(this.views.construct("dawn"),
                "[{\"id\":%s,\"authorId\":%s,\"characters\":4}]".formatted(this.photo, this.author));
        assertJson(this.views.findPageByCaption("dawn", Pageable.ofSize(5)).getContent(),
                "[{\"id\":%s}]".formatted(this.photo));
        assertJson(this.views.findDynamicByCaption("dawn", PhotoViews.DynamicRecord.class),
                "[{\"authorId\":%s}]".formatted(this.author));
    }

    @Test
    void interfaceThatIsOnlyNamedInACall() {
        assertJson(this.views.findDynamicByCaption("dawn", PhotoViews.DynamicView.class),
                "[{\"id\":\"%s\"}]".formatted(this.photo));
    }

    @Test
    void entityThatIsNamedInACall() throws Exception {
        assertThat(this.jackson3.writeValueAsString(this.views.findDynamicByCaption("dawn", Photo.class)))
            .contains("\"id\":\"%s\"".formatted(this.photo));
    }

    /** What docs/json.md lists. */
    @Test
    void otherNamesAndSpelAreNotRecognized() {
        assertJson(this.views.rename("dawn"), "[{\"photo\":%s}]".formatted(this.photo));
        assertJson(this.views.alias("dawn"), "[{\"photoNumber\":%s}]".formatted(this.photo));
        assertJson(this.views.findOpenByCaption("dawn"), "[{\"number\":%s}]".formatted(this.photo));
    }

}
