package io.shardedid.spring.openapi;

import java.util.List;
import java.util.Map;

import io.shardedid.ShardedId;
import io.swagger.v3.core.converter.ModelConverters;
import io.swagger.v3.oas.models.media.Schema;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Schemas of entities that stand inside of another model. */
class IdOpenApiTest {

    private final ModelConverters models = new ModelConverters();

    {
        this.models.addConverter(new IdOpenApi(true));
    }

    @ParameterizedTest
    @ValueSource(classes = { Photo.class, Cover.class, Page.class, Named.class })
    void entityHasItsIdAsAStringWhereverItStands(Class<?> type) {
        Schema<?> photo = this.models.readAll(type).get("Photo");

        assertThat(schema(photo, "id").getType()).isEqualTo("string");
        assertThat("-9223372036854775808").matches(schema(photo, "id").getPattern());
        assertThat(schema(photo, "userId").getType()).isEqualTo("integer");
    }

    private static Schema<?> schema(Schema<?> model, String attribute) {
        return (Schema<?>) model.getProperties().get(attribute);
    }

    public static class Photo {

        @ShardedId(shardKey = "userId")
        public Long id;

        public long userId;

    }

    public static class Cover {

        public Photo photo;

    }

    public static class Page {

        public List<Photo> content;

    }

    public static class Named {

        public Map<String, Photo[]> photos;

    }

}
