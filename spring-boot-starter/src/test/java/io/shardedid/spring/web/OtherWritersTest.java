package io.shardedid.spring.web;

import java.util.List;
import java.util.Map;
import java.util.Set;

import com.google.gson.Gson;
import io.shardedid.PublicId;
import io.shardedid.PublicIdForm;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.spring.boot.OurConfigurations;
import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.data.annotation.Id;
import org.springframework.data.jdbc.core.mapping.JdbcMappingContext;
import org.springframework.graphql.data.method.annotation.BatchMapping;
import org.springframework.graphql.data.method.annotation.QueryMapping;
import org.springframework.http.converter.json.GsonHttpMessageConverter;
import org.springframework.http.converter.json.JsonbHttpMessageConverter;
import org.springframework.stereotype.Controller;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/** What writes ids past Jackson: what leaves, and what the start says. */
@ExtendWith(OutputCaptureExtension.class)
public class OtherWritersTest {

    private static final String WARNING = "Ids leave as numbers, which JavaScript rounds: writer=%s (Jackson alone "
            + "writes strings); let Jackson write JSON, as with 'preferred-json-mapper=jackson', or set "
            + "'shardedid.json.as-string=false'";

    private final WebApplicationContextRunner application = new WebApplicationContextRunner()
        .withConfiguration(OurConfigurations.named("PublicIdAutoConfiguration", "ShardedIdFormAutoConfiguration",
                "ShardedIdJackson2AutoConfiguration", "ShardedIdJacksonAutoConfiguration"))
        .withConfiguration(
                AutoConfigurations.of(ShardedIdWritersAutoConfiguration.class, JacksonAutoConfiguration.class,
                        HttpMessageConvertersAutoConfiguration.class, WebMvcAutoConfiguration.class))
        .withBean(Gson.class)
        .withBean(Jsonb.class, JsonbBuilder::create)
        .withBean(Photos.class)
        .withPropertyValues("shardedid.sealing.keys=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");

    /** The table of the page. */
    @ParameterizedTest
    @CsvSource({
            // mapper, entity, what leaves
            "jackson, sealed, text", "gson, sealed, refused", "jsonb, sealed, refused",
            // a prefix is a form, too
            "jackson, prefixed, text", "gson, prefixed, refused", "jsonb, prefixed, refused",
            // JavaScript rounds it
            "jackson, plain, string", "gson, plain, warned", "jsonb, plain, warned" })
    void preferredMapper(String mapper, String entity, String leaves, CapturedOutput output) {
        Class<?> type = Map
            .<String, Class<?>>of("sealed", Sealed.class, "prefixed", Prefixed.class, "plain", Plain.class)
            .get(entity);
        Class<?> writer = mapper.equals("gson") ? GsonHttpMessageConverter.class : JsonbHttpMessageConverter.class;
        with(type, mapper).run((context) -> {
            switch (leaves) {
                case "refused" -> assertThat(context).getFailure()
                    .isInstanceOf(ShardedIdConfigurationException.class)
                    .hasMessage(("Ids of '%s' would leave as numbers: form=%s, writer=%s (Jackson alone writes forms); "
                            + "let Jackson write JSON, as with 'preferred-json-mapper=jackson', or remove the form")
                        .formatted(type.getName(), entity.equals("sealed") ? "sealed" : "decimal with prefix 'pre_'",
                                writer.getName()));
                case "warned" -> {
                    assertThat(body(context, entity)).isEqualTo("{\"id\":501219442118682627}");
                    assertThat(output).containsOnlyOnce(WARNING.formatted(writer.getName()));
                }
                case "string" -> assertThat(body(context, entity)).isEqualTo("{\"id\":\"501219442118682627\"}");
                default -> assertThat(body(context, entity)).matches("\\{\"id\":\"([A-D].{21}|pre_[0-9]{18})\"\\}");
            }
            if (!leaves.equals("warned")) {
                assertThat(output).doesNotContain("which JavaScript rounds");
            }
        });
    }

    @Test
    void onlyMapperThatIsThereIsRefusedAsWell() {
        with(Sealed.class, "")
            .withClassLoader(new FilteredClassLoader("tools.jackson", "com.fasterxml.jackson.databind"))
            .run((context) -> assertThat(context).getFailure()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageContaining(" would leave as numbers: form=sealed, writer="));
    }

    @Test
    void writersOnTheClassPathAreNotAskedWhereJacksonWrites(CapturedOutput output) {
        with(Sealed.class, "").run((context) -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("leave as numbers");
    }

    @Test
    void whoWantsNumbersIsNotWarned(CapturedOutput output) {
        with(Plain.class, "gson").withPropertyValues("shardedid.json.as-string=false")
            .run((context) -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("leave as numbers");
    }

    @Test
    void applicationWithoutShardedIdsIsNotWarned(CapturedOutput output) {
        with(Foreign.class, "gson").run((context) -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("leave as numbers");
    }

    @Test
    void controllerOfGraphQlThatReturnsAnEntityEndsTheStart() {
        refused(GraphQlItem.class, "item");
        refused(GraphQlList.class, "items");
        refused(GraphQlBatch.class, "batch");
    }

    @Test
    void controllerOfGraphQlThatReturnsTextsStarts() {
        with(Sealed.class, "jackson").withBean(GraphQlText.class).run((context) -> assertThat(context).hasNotFailed());
    }

    private void refused(Class<?> controller, String method) {
        with(Sealed.class, "jackson").withBean(controller)
            .run((context) -> assertThat(context).getFailure()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessage(
                        ("Ids of '%s' would leave as numbers: form=sealed, source='%s#%s' (GraphQL knows no forms); "
                                + "return a class whose ids are Strings of 'PublicIdFormats'")
                            .formatted(Sealed.class.getName(), controller.getName(), method)));
    }

    private WebApplicationContextRunner with(Class<?> entity, String mapper) {
        return this.application
            .withBean(JdbcMappingContext.class, JdbcMappingContext::new,
                    (definition) -> definition.getPropertyValues().add("initialEntitySet", Set.of(entity)))
            .withPropertyValues(mapper.isEmpty() ? new String[0]
                    : new String[] { "spring.http.converters.preferred-json-mapper=" + mapper,
                            "spring.mvc.converters.preferred-json-mapper=" + mapper });
    }

    private static String body(AssertableWebApplicationContext context, String path) throws Exception {
        return MockMvcTester.from(context).get().uri("/" + path).exchange().getResponse().getContentAsString();
    }

    public static class Above {

        @Id
        @ShardedId
        private Long id = 501219442118682627L;

        public Long getId() {
            return this.id;
        }

        public void setId(Long id) {
            this.id = id;
        }

    }

    @PublicId(form = PublicIdForm.SEALED)
    public static class Sealed extends Above {

    }

    @PublicId(prefix = "pre_")
    public static class Prefixed extends Above {

    }

    public static class Plain extends Above {

    }

    static class Foreign {

        @Id
        private Long id = 5L;

        public Long getId() {
            return this.id;
        }

    }

    @RestController
    static class Photos {

        @GetMapping("/sealed")
        Sealed sealed() {
            return new Sealed();
        }

        @GetMapping("/prefixed")
        Prefixed prefixed() {
            return new Prefixed();
        }

        @GetMapping("/plain")
        Plain plain() {
            return new Plain();
        }

    }

    @Controller
    static class GraphQlItem {

        @QueryMapping
        Sealed item() {
            return new Sealed();
        }

    }

    @Controller
    static class GraphQlList {

        @QueryMapping
        List<Sealed> items() {
            return List.of();
        }

    }

    @Controller
    static class GraphQlBatch {

        @BatchMapping
        Map<Foreign, List<Sealed>> batch(List<Foreign> foreign) {
            return Map.of();
        }

    }

    @Controller
    static class GraphQlText {

        @QueryMapping
        String text() {
            return "";
        }

    }

}
