package io.shardedid.spring.web;

import io.shardedid.ShardedIdEngine;
import io.shardedid.spring.gallery.GalleryApplication;
import io.shardedid.spring.test.PredictableIds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.dataformat.cbor.CBORMapper;
import tools.jackson.dataformat.smile.SmileMapper;
import tools.jackson.dataformat.xml.XmlMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/** What a client sees that asks for something else than JSON. */
@WebMvcTest
@ContextConfiguration(classes = GalleryApplication.class)
@PredictableIds
@Tag("slow")
class DataFormatsTest {

    @Autowired
    private MockMvcTester web;

    @Autowired
    private ShardedIdEngine ids;

    @ParameterizedTest
    @CsvSource({ "application/json", "application/yaml", "application/cbor", "application/x-jackson-smile",
            "application/xml" })
    void idsAreStringsInEach(String type) {
        ObjectMapper mapper = switch (type) {
            case "application/yaml" -> new YAMLMapper();
            case "application/cbor" -> new CBORMapper();
            case "application/x-jackson-smile" -> new SmileMapper();
            case "application/xml" -> new XmlMapper();
            default -> new ObjectMapper();
        };
        long id = this.ids.next(7);

        for (String uri : new String[] { "/entities/", "/pictures/" }) {
            byte[] body = this.web.get().uri(uri + id).accept(type).exchange().getResponse().getContentAsByteArray();
            JsonNode tree = mapper.readTree(body);

            assertThat(tree.path("id").isString()).as(tree.toString()).isTrue();
            assertThat(tree.path("id").asString()).isEqualTo(Long.toString(id));
        }
    }

}
