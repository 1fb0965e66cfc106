package io.shardedid.spring.feed;

import org.junit.jupiter.api.Test;

import org.springframework.test.context.TestPropertySource;

/** What cannot be recognized as an id. */
@TestPropertySource(properties = "shardedid.json.as-string=unsafe")
class UnsafeProjectedIdsTest extends ProjectedPhoto {

    @Test
    void whatCannotBeRecognizedLeavesAsStringToo() {
        assertJson(this.views.rename("dawn"), "[{\"photo\":\"%s\"}]".formatted(this.photo));
        assertJson(this.views.alias("dawn"), "[{\"photoNumber\":\"%s\"}]".formatted(this.photo));
        assertJson(this.views.findOpenByCaption("dawn"), "[{\"number\":\"%s\"}]".formatted(this.photo));
    }

    /** What makes a test with ids 1 and 2 differ from production. */
    @Test
    void smallNumbersThatAreNotRecognizedStayNumbers() {
        assertJson(new PhotoViews.Renamed(1L), "{\"photo\":1}");
    }

}
