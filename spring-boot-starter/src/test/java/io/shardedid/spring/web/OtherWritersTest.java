package io.shardedid.spring.web;

import java.util.List;
import java.util.Map;
import java.util.Set;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.gson.Gson;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.jackson.JsonShardedId;
import io.shardedid.spring.boot.OurConfigurations;
import io.shardedid.spring.web.WrittenIds.Photos;
import io.shardedid.spring.web.WrittenIds.Plain;
import io.shardedid.spring.web.WrittenIds.Prefixed;
import io.shardedid.spring.web.WrittenIds.Sealed;
import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;
import org.apache.kafka.common.serialization.Serializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.amqp.support.converter.MessageConverter;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.annotation.Id;
import org.springframework.data.jdbc.core.mapping.JdbcMappingContext;
import org.springframework.data.redis.serializer.JacksonJsonRedisSerializer;
import org.springframework.data.redis.serializer.RedisSerializer;
import org.springframework.graphql.data.method.annotation.Argument;
import org.springframework.graphql.data.method.annotation.BatchMapping;
import org.springframework.graphql.data.method.annotation.QueryMapping;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.http.codec.json.JacksonJsonEncoder;
import org.springframework.http.converter.HttpMessageConverters;
import org.springframework.http.converter.json.GsonHttpMessageConverter;
import org.springframework.http.converter.json.JacksonJsonHttpMessageConverter;
import org.springframework.http.converter.json.JsonbHttpMessageConverter;
import org.springframework.kafka.support.serializer.JacksonJsonSerializer;
import org.springframework.messaging.converter.JacksonJsonMessageConverter;
import org.springframework.stereotype.Controller;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

import static org.assertj.core.api.Assertions.assertThat;

/** What writes ids past Jackson: what leaves, and what the start says. */
@ExtendWith(OutputCaptureExtension.class)
public class OtherWritersTest {

    private static final String REMEDY = "let Spring Boot's mapper of Jackson write JSON, or add the bean of type "
            + "'ShardedIdJacksonModule' ('ShardedIdJackson2Module' for Jackson 2) to the mapper, or ";

    private static final String WARNING = "Ids leave as numbers, which JavaScript rounds: writer=%s; " + REMEDY
            + "set 'shardedid.json.as-string=false'";

    private static final String REFUSAL = "Ids of '%s' would not leave in their form: form=%s, writer=%s (it does not "
            + "know the forms of this application); " + REMEDY + "remove the form";

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
                    .hasMessage(REFUSAL.formatted(type.getName(),
                            entity.equals("sealed") ? "sealed" : "decimal with prefix 'pre_'", writer.getName()));
                case "warned" -> {
                    assertThat(body(context, entity)).isEqualTo("{\"id\":501219442118860803}");
                    assertThat(output).containsOnlyOnce(WARNING.formatted(writer.getName()));
                }
                case "string" -> assertThat(body(context, entity)).isEqualTo("{\"id\":\"501219442118860803\"}");
                default -> assertThat(body(context, entity)).matches("\\{\"id\":\"([A-D].{21}|pre_[0-9]{18})\"\\}");
            }
            if (!leaves.equals("warned")) {
                assertThat(output).doesNotContain("which JavaScript rounds");
            }
        });
    }

    /** What applications replace most. */
    @ParameterizedTest
    @CsvSource({ "bean, sealed, refused", "bean, prefixed, refused", "bean, plain, warned",
            "converter, sealed, refused", "converter, plain, warned",
            // the module of the class path writes strings, and has no keys
            "found, sealed, refused", "found, prefixed, text", "found, plain, string", "EnableWebMvc, sealed, refused",
            "EnableWebMvc, plain, string", "ObjectMapper, sealed, refused", "ObjectMapper, plain, warned" })
    void mapperOfTheApplication(String mapper, String entity, String leaves, CapturedOutput output) {
        Class<?> type = Map
            .<String, Class<?>>of("sealed", Sealed.class, "prefixed", Prefixed.class, "plain", Plain.class)
            .get(entity);
        WebApplicationContextRunner replaced = switch (mapper) {
            case "bean" -> with(type, "").withBean(JsonMapper.class, JsonMapper::new);
            case "found" ->
                with(type, "").withBean(JsonMapper.class, () -> JsonMapper.builder().findAndAddModules().build());
            case "ObjectMapper" -> with(type, "").withBean(OwnJackson2.class);
            case "converter" -> with(type, "").withBean(OwnConverter.class);
            default -> with(type, "").withUserConfiguration(OwnWebMvc.class);
        };
        replaced.run((context) -> {
            if (leaves.equals("refused")) {
                assertThat(context).getFailure()
                    .isInstanceOf(ShardedIdConfigurationException.class)
                    .hasMessageStartingWith("Ids of '%s' would not leave in their form: form=%s, writer="
                        .formatted(type.getName(), entity.equals("sealed") ? "sealed" : "decimal with prefix 'pre_'"))
                    .hasMessageEndingWith(REMEDY + "remove the form");
                return;
            }
            assertThat(output.getAll().contains("Ids leave as numbers")).isEqualTo(leaves.equals("warned"));
            switch (leaves) {
                case "warned" -> assertThat(body(context, entity)).isEqualTo("{\"id\":501219442118860803}");
                case "string" -> assertThat(body(context, entity)).isEqualTo("{\"id\":\"501219442118860803\"}");
                default -> assertThat(body(context, entity)).isEqualTo("{\"id\":\"pre_501219442118860803\"}");
            }
        });
    }

    /** As Spring Boot gives its codecs the mapper. */
    @ParameterizedTest
    @CsvSource({ "boot, sealed", "own, refused", "own, warned", "boot, string" })
    void encoderOfTheApplication(String mapper, String leaves, CapturedOutput output) {
        boolean sealed = leaves.equals("sealed") || leaves.equals("refused");
        ReactiveWebApplicationContextRunner application = new ReactiveWebApplicationContextRunner()
            .withConfiguration(OurConfigurations.named("PublicIdAutoConfiguration", "ShardedIdFormAutoConfiguration",
                    "ShardedIdJacksonAutoConfiguration"))
            .withConfiguration(
                    AutoConfigurations.of(ShardedIdWritersAutoConfiguration.class, JacksonAutoConfiguration.class))
            .withUserConfiguration(WebFlux.class)
            .withBean(JdbcMappingContext.class, JdbcMappingContext::new,
                    (definition) -> definition.getPropertyValues()
                        .add("initialEntitySet", Set.of(sealed ? Sealed.class : Plain.class)))
            .withPropertyValues("shardedid.sealing.keys=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
        (mapper.equals("own") ? application.withBean(JsonMapper.class, JsonMapper::new) : application)
            .run((context) -> {
                if (leaves.equals("refused")) {
                    assertThat(context).getFailure()
                        .isInstanceOf(ShardedIdConfigurationException.class)
                        .hasMessage(REFUSAL.formatted(Sealed.class.getName(), "sealed",
                                JacksonJsonEncoder.class.getName()));
                    return;
                }
                assertThat(context).hasNotFailed();
                assertThat(output.getAll().contains(WARNING.formatted(JacksonJsonEncoder.class.getName())))
                    .isEqualTo(leaves.equals("warned"));
            });
    }

    /** A mapper for events, say: it may never write an entity. */
    @Test
    void otherMapperIsNamedOnceAndEndsNoStart(CapturedOutput output) {
        with(Sealed.class, "").withBean("events", ObjectMapper.class, ObjectMapper::new)
            .withBean("known", ObjectMapper.class, () -> new ObjectMapper().findAndRegisterModules())
            .withBean("late", ObjectMapper.class, () -> {
                throw new IllegalStateException("nobody needs it");
            }, (definition) -> definition.setLazyInit(true))
            .withBean("ofARequest", ObjectMapper.class, ObjectMapper::new,
                    (definition) -> definition.setScope("request"))
            .run((context) -> assertThat(context).hasNotFailed());
        assertThat(output)
            .containsOnlyOnce("Bean 'events' would write ids of entities as numbers, which JavaScript rounds: type="
                    + ObjectMapper.class.getName() + "; if it writes entities, " + REMEDY
                    + "set 'shardedid.json.as-string=false'");
        assertThat(output).doesNotContain("Bean 'known'", "Bean 'jacksonJsonMapper'");
    }

    /** Each by a mapper of its own, and by one that knows our module. */
    @Test
    void whatWritesForMessagesAndCachesIsTried(CapturedOutput output) {
        JsonMapper known = JsonMapper.builder().findAndAddModules().build();
        with(Plain.class, "")
            .withBean("messages", JacksonJsonMessageConverter.class,
                    () -> new JacksonJsonMessageConverter(new JsonMapper()))
            .withBean("knownMessages", JacksonJsonMessageConverter.class, () -> new JacksonJsonMessageConverter(known))
            .withBean("cache", RedisSerializer.class,
                    () -> new JacksonJsonRedisSerializer<>(new JsonMapper(), Object.class))
            .withBean("knownCache", RedisSerializer.class, () -> new JacksonJsonRedisSerializer<>(known, Object.class))
            .withBean("javaCache", RedisSerializer.class, RedisSerializer::java)
            .withBean("topic", Serializer.class, () -> new JacksonJsonSerializer<>(new JsonMapper()))
            .withBean("knownTopic", Serializer.class, () -> new JacksonJsonSerializer<>(known))
            .withBean("queue", MessageConverter.class,
                    () -> new org.springframework.amqp.support.converter.JacksonJsonMessageConverter(new JsonMapper()))
            .withBean("knownQueue", MessageConverter.class,
                    () -> new org.springframework.amqp.support.converter.JacksonJsonMessageConverter(known))
            .run((context) -> assertThat(context).hasNotFailed());

        for (String bean : List.of("messages", "cache", "topic", "queue")) {
            assertThat(output).containsOnlyOnce("Bean '" + bean + "' would write ids of entities as numbers, ");
        }
        assertThat(output).doesNotContain("Bean 'known", "Bean 'javaCache'");
    }

    /** The form is that of the nearest superclass. */
    @Test
    void subclassOfASealedEntityIsRefusedAsWell() {
        with(SealedChild.class, "").withBean(JsonMapper.class, () -> JsonMapper.builder().findAndAddModules().build())
            .run((context) -> assertThat(context).getFailure()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageStartingWith(
                        "Ids of '" + SealedChild.class.getName() + "' would not leave in their form: form=sealed"));
    }

    @Test
    void onlyMapperThatIsThereIsRefusedAsWell() {
        with(Sealed.class, "")
            .withClassLoader(new FilteredClassLoader("tools.jackson", "com.fasterxml.jackson.databind"))
            .run((context) -> assertThat(context).getFailure()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageContaining(" would not leave in their form: form=sealed, writer="));
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

    @Test
    void markThatGraphQlDoesNotReadEndsTheStart() {
        with(Sealed.class, "").withBean(GraphQlArgument.class)
            .run((context) -> assertThat(context).getFailure()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessage("Parameter 'id' of '" + GraphQlArgument.class.getName()
                        + "#caption' would take the number of an id: form=sealed (only HTTP and JSON read "
                        + "'@JsonShardedId'); take a String, and read it by 'PublicIdFormats'"));
        with(Plain.class, "").withBean(GraphQlArgument.class).run((context) -> assertThat(context).hasNotFailed());
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

    @Configuration(proxyBeanMethods = false)
    @EnableWebFlux
    static class WebFlux implements WebFluxConfigurer {

        private final JsonMapper mapper;

        WebFlux(JsonMapper mapper) {
            this.mapper = mapper;
        }

        @Override
        public void configureHttpMessageCodecs(ServerCodecConfigurer codecs) {
            codecs.defaultCodecs().jacksonJsonEncoder(new JacksonJsonEncoder(this.mapper));
        }

    }

    static class OwnConverter implements WebMvcConfigurer {

        @Override
        public void configureMessageConverters(HttpMessageConverters.ServerBuilder converters) {
            converters.withJsonConverter(new JacksonJsonHttpMessageConverter(new JsonMapper()));
        }

    }

    @SuppressWarnings("removal")
    static class OwnJackson2 implements WebMvcConfigurer {

        @Override
        public void configureMessageConverters(HttpMessageConverters.ServerBuilder converters) {
            converters
                .withJsonConverter(new org.springframework.http.converter.json.MappingJackson2HttpMessageConverter(
                        new ObjectMapper()));
        }

    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebMvc
    static class OwnWebMvc {

    }

    public static class SealedChild extends Sealed {

    }

    static class Foreign {

        @Id
        private Long id = 5L;

        public Long getId() {
            return this.id;
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
    static class GraphQlArgument {

        @QueryMapping
        String caption(@Argument @JsonShardedId(Sealed.class) Long id) {
            return String.valueOf(id);
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
