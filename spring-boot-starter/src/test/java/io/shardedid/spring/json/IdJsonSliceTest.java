package io.shardedid.spring.json;

import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.shardedid.jackson.JsonShardedId;
import io.shardedid.spring.gallery.GalleryApplication;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.autoconfigure.json.JsonTest;
import org.springframework.data.projection.SpelAwareProxyProjectionFactory;
import org.springframework.test.context.ContextConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/** What a {@code @JsonTest} of an application sees. */
@Tag("slow")
@JsonTest
@ContextConfiguration(classes = GalleryApplication.class)
class IdJsonSliceTest {

    @Autowired
    private JsonMapper jackson3;

    @Autowired
    private ObjectMapper jackson2;

    @Test
    void idsAreStringsInBothLinesOfJackson() throws Exception {
        String json = "{\"id\":\"1\",\"likes\":3}";

        assertThat(this.jackson3.writeValueAsString(new View(1, 3))).isEqualTo(json);
        assertThat(this.jackson2.writeValueAsString(new View(1, 3))).isEqualTo(json);
    }

    @Test
    void projectionsOfSpringDataHaveThem() throws Exception {
        Projection projection = new SpelAwareProxyProjectionFactory().createProjection(Projection.class,
                Map.of("likedBy", List.of((1L << 53) + 1)));

        assertThat(this.jackson3.writeValueAsString(projection)).isEqualTo("{\"likedBy\":[\"9007199254740993\"]}");
        assertThat(this.jackson2.writeValueAsString(projection)).isEqualTo("{\"likedBy\":[\"9007199254740993\"]}");
    }

    record View(@JsonShardedId long id, long likes) {
    }

    interface Projection {

        @JsonShardedId
        List<Long> getLikedBy();

    }

}
