package io.shardedid.spring.json;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.shardedid.spring.gallery.GalleryApplication;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.autoconfigure.json.JsonTest;
import org.springframework.test.context.ContextConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/** What a {@code @JsonTest} of an application sees. */
@JsonTest
@ContextConfiguration(classes = GalleryApplication.class)
class IdJsonSliceTest {

    @Autowired
    private JsonMapper jackson3;

    @Autowired
    private ObjectMapper jackson2;

    @Test
    void idsAreStringsInBothLinesOfJackson() throws Exception {
        IdJsonContract.assertSameJson(this.jackson3.writeValueAsString(new Like(1, 2, 3)),
                "{\"id\":\"1\",\"userId\":\"2\",\"count\":3}");
        IdJsonContract.assertSameJson(this.jackson2.writeValueAsString(new Like(1, 2, 3)),
                "{\"id\":\"1\",\"userId\":\"2\",\"count\":3}");
    }

}
