package io.shardedid.spring.openapi;

import io.shardedid.spring.gallery.GalleryApplication;
import io.shardedid.spring.test.PredictableIds;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/** What springdoc says of a whole application. */
@SpringBootTest(classes = GalleryApplication.class)
@AutoConfigureMockMvc
@PredictableIds
class OpenApiTest {

    private static final String ID = "{\"type\":\"string\",\"pattern\":\"^-?[0-9]{1,19}$\"}";

    private static final String NUMBER = "{\"type\":\"integer\",\"format\":\"int64\"}";

    @Autowired
    private MockMvcTester web;

    private JsonNode api() throws Exception {
        byte[] body = this.web.get().uri("/v3/api-docs").exchange().getResponse().getContentAsByteArray();
        return new JsonMapper().readTree(body);
    }

    @Test
    void annotatedMembersAreStrings() throws Exception {
        JsonNode view = api().at("/components/schemas/PictureView/properties");

        assertThat(view.path("id")).hasToString(ID);
        assertThat(view.path("album")).hasToString(ID);
        assertThat(view.at("/likes/items")).hasToString(ID);
        assertThat(view.at("/neighbours/additionalProperties")).hasToString(ID);
        assertThat(view.path("views")).hasToString(NUMBER);
        assertThat(view.path("caption")).hasToString("{\"type\":\"string\"}");
    }

    @Test
    void idsAtAnyDepthAreStrings() throws Exception {
        JsonNode links = api().at("/components/schemas/PictureLinks/properties");

        assertThat(links.at("/rows/items/items")).hasToString(ID);
        assertThat(links.at("/table/items/items")).hasToString(ID);
        assertThat(links.at("/set/items")).hasToString(ID);
        assertThat(links.at("/pairs/additionalProperties")).hasToString(ID);
        assertThat(links.at("/byName/additionalProperties/items")).hasToString(ID);
        assertThat(links.path("after")).hasToString(ID);
        assertThat(links.path("before")).hasToString(ID);
        // its ids are the keys, which are texts anyway
        assertThat(links.at("/counts/additionalProperties")).hasToString("{\"type\":\"integer\",\"format\":\"int32\"}");
    }

    @Test
    void idsOfEntitiesAreStrings() throws Exception {
        JsonNode entity = api().at("/components/schemas/Picture/properties");

        assertThat(entity.path("id")).hasToString(ID);
        assertThat(entity.path("albumId")).hasToString(NUMBER);
        assertThat(entity.path("views")).hasToString(NUMBER);
        assertThat(entity.path("cover")).hasToString(NUMBER);
    }

    @Test
    void annotatedParametersAreStrings() throws Exception {
        JsonNode api = api();

        assertThat(parameter(api, "/pictures/{id}", "id")).hasToString(ID);
        assertThat(parameter(api, "/pictures", "before")).hasToString(ID);
        assertThat(parameter(api, "/pictures", "ids").path("items")).hasToString(ID);
        assertThat(parameter(api, "/pictures", "after")).hasToString(ID);
        assertThat(parameter(api, "/plain/{id}", "id")).hasToString(NUMBER);
    }

    private static JsonNode parameter(JsonNode api, String path, String name) {
        for (JsonNode parameter : api.path("paths").path(path).path("get").path("parameters")) {
            if (parameter.path("name").asString().equals(name)) {
                return parameter.path("schema");
            }
        }
        throw new AssertionError("no parameter '%s' of '%s' in %s".formatted(name, path, api));
    }

}
