package io.shardedid.spring.feed;

import org.junit.jupiter.api.Test;

import org.springframework.test.context.TestPropertySource;

/** Ids that leave as numbers. */
@TestPropertySource(properties = "shardedid.json.as-string=false")
class NumericProjectedIdsTest extends ProjectedPhoto {

    @Test
    void projectionsCarryNumbers() {
        assertJson(this.views.findDynamicByCaption("dawn", PhotoViews.DynamicView.class),
                "[{\"id\":%s}]".formatted(this.photo));
    }

}
