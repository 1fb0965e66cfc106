package io.shardedid.spring.web;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper;
import com.fasterxml.jackson.dataformat.smile.databind.SmileMapper;
import com.fasterxml.jackson.dataformat.xml.XmlMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.shardedid.ShardedIdEngine;
import io.shardedid.spring.gallery.GalleryApplication;
import io.shardedid.spring.test.PredictableIds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.autoconfigure.web.servlet.WebMvcTest;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/** What a client sees that asks for something else than JSON. */
@WebMvcTest
@ContextConfiguration(classes = GalleryApplication.class)
@PredictableIds
@Tag("slow")
class FormatsOfTheLineTest {

    @Autowired
    private MockMvcTester web;

    @Autowired
    private ShardedIdEngine ids;

    /** Spring Boot configures mappers of JSON and XML, and Spring itself makes the others. */
    @ParameterizedTest
    @CsvSource({ "application/json, true", "application/xml, true", "application/yaml, false",
            "application/cbor, false", "application/x-jackson-smile, false" })
    void idsAreStrings(String type, boolean ofEntities) throws Exception {
        ObjectMapper mapper = switch (type) {
            case "application/yaml" -> new YAMLMapper();
            case "application/cbor" -> new CBORMapper();
            case "application/x-jackson-smile" -> new SmileMapper();
            case "application/xml" -> new XmlMapper();
            default -> new ObjectMapper();
        };
        long id = this.ids.next(7);

        assertThat(id(mapper, type, "/pictures/" + id).isTextual()).isTrue();
        assertThat(id(mapper, type, "/entities/" + id).isTextual()).isEqualTo(ofEntities);
    }

    private JsonNode id(ObjectMapper mapper, String type, String uri) throws Exception {
        byte[] body = this.web.get().uri(uri).accept(type).exchange().getResponse().getContentAsByteArray();
        JsonNode id = mapper.readTree(body).path("id");
        assertThat(uri).endsWith("/" + id.asText());
        return id;
    }

}
