package io.shardedid.spring.web;

import java.util.List;
import java.util.Optional;

import io.shardedid.PublicId;
import io.shardedid.PublicIdForm;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.format.PublicIdFormats;
import io.shardedid.ShardedId;
import io.shardedid.jackson.JsonShardedId;
import io.shardedid.spring.boot.OurConfigurations;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.core.convert.ConversionService;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.validation.annotation.Validated;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.support.ConfigurableWebBindingInitializer;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

import static org.assertj.core.api.Assertions.assertThat;

/** What a controller may ask for ids, and what becomes of a plain number there. */
class IdParametersTest {

    private static final String KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    private final WebApplicationContextRunner application = new WebApplicationContextRunner()
        .withConfiguration(OurConfigurations.named("PublicIdAutoConfiguration", "ShardedIdFormAutoConfiguration"))
        .withConfiguration(
                AutoConfigurations.of(ShardedIdFormattersAutoConfiguration.class, WebMvcAutoConfiguration.class))
        .withPropertyValues("shardedid.sealing.keys=" + KEY);

    @ParameterizedTest
    @ValueSource(classes = { UnclearRecord.class, UnclearBean.class })
    void formFieldWhoseFormCannotBeChosenEndsTheStart(Class<?> controller) {
        this.application.withPropertyValues("shardedid.form=sealed")
            .withBean(controller)
            .run((context) -> assertThat(context).getFailure()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageMatching("Could not choose the form of field 'after' of '.*Unclear(Bean|Record)\\$Search', "
                        + "which parameter 1 of '.*Unclear(Bean|Record)#open\\(Search\\)' binds: A sealed id needs "
                        + "its entity: .*"));
    }

    /** The start looks at the fields of the form object itself. */
    @Test
    void fieldFurtherInsideWhoseFormCannotBeChosenIsNeverBound() {
        this.application.withPropertyValues("shardedid.form=sealed").withBean(Nested.class).run((context) -> {
            for (String path : List.of("/record?inner.after=7", "/record?inner.many=7")) {
                assertThat(web(context).get().uri(path)).hasFailed()
                    .failure()
                    .rootCause()
                    .isInstanceOf(ShardedIdConfigurationException.class)
                    .hasMessageStartingWith("A sealed id needs its entity: ");
            }
            assertThat(web(context).get().uri("/bean?inner.after=7")).hasStatus(HttpStatus.BAD_REQUEST);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = { "/record", "/bean", "/many", "/number", "/numbers", "/array", "/optional", "/list" })
    void plainNumberOpensNothingThatIsSealed(String path) {
        this.application.withBean(Clear.class).run((context) -> {
            String text = context.getBean(PublicIdFormats.class).forEntity(Sealed.class).format(7);

            assertThat(web(context).get().uri(path + "?after=7")).hasStatus(HttpStatus.BAD_REQUEST);
            assertThat(web(context).get().uri(path + "?after=" + text)).hasStatusOk().hasBodyTextEqualTo("7");
        });
    }

    /** Nor is what Spring itself would read as a number. */
    @ParameterizedTest
    @ValueSource(strings = { "-5", "-9223372036854775808", "0x5", "+5", "\u0665" })
    void numberThatIsNoIdIsRefusedWhereIdsArePlain(String number) {
        this.application.withBean(ClearPlain.class).run((context) -> {
            assertThat(web(context).get().uri("/number?after={0}", number)).hasStatus(HttpStatus.BAD_REQUEST);
            assertThat(web(context).get().uri("/prefixed?after={0}", "no_" + number)).hasStatus(HttpStatus.BAD_REQUEST);
            assertThat(web(context).get().uri("/number?after=5")).hasStatusOk().hasBodyTextEqualTo("5");
            assertThat(web(context).get().uri("/prefixed?after=no_5")).hasStatusOk().hasBodyTextEqualTo("5");
        });
    }

    @Test
    void springsConversionStaysAsItIsWhereNoParameterHoldsAnId() {
        this.application.withBean(WithoutIds.class)
            .run((context) -> assertThat(conversion(context)).isSameAs(context.getBean("mvcConversionService")));
    }

    @ParameterizedTest
    @ValueSource(classes = { Clear.class, ClearPlain.class, NestedClear.class })
    void refusalOfAFormatterIsFinalWhereAParameterHoldsAnId(Class<?> controller) {
        this.application.withBean(controller)
            .run((context) -> assertThat(conversion(context)).isNotSameAs(context.getBean("mvcConversionService")));
    }

    @Test
    void refusalOfAFormatterIsFinalWhereAllIdsHaveAnotherForm() {
        this.application.withPropertyValues("shardedid.form=base62")
            .withBean(WithoutIds.class)
            .run((context) -> assertThat(conversion(context)).isNotSameAs(context.getBean("mvcConversionService")));
    }

    private static @Nullable ConversionService conversion(WebApplicationContext context) {
        ConfigurableWebBindingInitializer binding = (ConfigurableWebBindingInitializer) context
            .getBean(RequestMappingHandlerAdapter.class)
            .getWebBindingInitializer();
        return (binding != null) ? binding.getConversionService() : null;
    }

    @Test
    void markOnAParameterThatSpringReadsInAnotherWayEndsTheStart() {
        refused(Text.class, "#open(String)", "java.lang.String");
        refused(Wrapped.class, "#open(PhotoId)", PhotoId.class.getName());
        refused(Texts.class, "#open(List)", "java.util.List<java.lang.String>");
        refused(Body.class, "#open(List)", "java.util.List<java.lang.Long>");
    }

    /** The plain number is what every other conversion reads. */
    @Test
    void markOnAParameterOfAnotherTypeIsLeftAloneWhereIdsArePlain() {
        this.application.withBean(PlainText.class)
            .run((context) -> assertThat(web(context).get().uri("/open/7")).hasStatusOk().hasBodyTextEqualTo("7"));
    }

    private void refused(Class<?> controller, String method, String type) {
        this.application.withBean(controller)
            .run((context) -> assertThat(context).getFailure()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessage("'@JsonShardedId' on parameter 1 of '" + controller.getName() + method
                        + "' has no effect: type=" + type + " (long, Long, and collections, arrays and optionals of "
                        + "them, none of which is a body); change the type, or take a String without the annotation and "
                        + "read it by 'PublicIdFormats'"));
    }

    private static MockMvcTester web(WebApplicationContext context) {
        return MockMvcTester.from(context);
    }

    @PublicId(form = PublicIdForm.SEALED)
    static class Sealed {

    }

    static class Plain {

        @ShardedId
        Long id;

    }

    @PublicId(prefix = "no_")
    static class Prefixed {

    }

    @RestController
    static class ClearPlain {

        @GetMapping("/number")
        String number(@RequestParam @JsonShardedId(Plain.class) long after) {
            return String.valueOf(after);
        }

        @GetMapping("/prefixed")
        String prefixed(@RequestParam @JsonShardedId(Prefixed.class) long after) {
            return String.valueOf(after);
        }

    }

    @RestController
    static class NestedClear {

        @GetMapping("/nested")
        String open(Outer search) {
            return String.valueOf(search);
        }

        record Outer(List<Clear.Bean> inner) {
        }

    }

    @RestController
    static class WithoutIds {

        @GetMapping("/{number}")
        String open(@PathVariable long number, Search search) {
            return number + search.word();
        }

        record Search(String word, List<Search> inner) {
        }

    }

    @RestController
    static class UnclearRecord {

        @GetMapping("/record")
        String open(@Validated Search search) {
            return String.valueOf(search.after());
        }

        record Search(@JsonShardedId Long after) {
        }

    }

    @RestController
    static class UnclearBean {

        @GetMapping("/bean")
        String open(@ModelAttribute("search") Search search) {
            return String.valueOf(search.getAfter());
        }

        static class Search extends Above {

        }

        static class Above {

            @JsonShardedId
            private long after;

            public long getAfter() {
                return this.after;
            }

            public void setAfter(long after) {
                this.after = after;
            }

        }

    }

    @RestController
    static class Nested {

        @GetMapping("/record")
        String open(Outer search) {
            return String.valueOf(search);
        }

        @GetMapping("/bean")
        String open(OuterBean search) {
            return String.valueOf(search.inner.getAfter());
        }

        record Outer(Inner inner) {
        }

        record Inner(@JsonShardedId Long after, @JsonShardedId List<Long> many) {
        }

        static class OuterBean {

            private final UnclearBean.Search inner = new UnclearBean.Search();

            public UnclearBean.Search getInner() {
                return this.inner;
            }

        }

    }

    @RestController
    static class Clear {

        @GetMapping("/record")
        String open(Search search) {
            return String.valueOf(search.after());
        }

        @GetMapping("/bean")
        String open(Bean search) {
            return String.valueOf(search.after);
        }

        @GetMapping("/many")
        String open(Many search) {
            return String.valueOf(search.after().get(0));
        }

        @GetMapping("/number")
        String number(@RequestParam @JsonShardedId(Sealed.class) long after) {
            return String.valueOf(after);
        }

        @GetMapping("/numbers")
        String numbers(@RequestParam @JsonShardedId(Sealed.class) List<Long> after) {
            return String.valueOf(after.get(0));
        }

        @GetMapping("/array")
        String array(@RequestParam @JsonShardedId(Sealed.class) long[] after) {
            return String.valueOf(after[0]);
        }

        @GetMapping("/optional")
        String optional(@RequestParam @JsonShardedId(Sealed.class) Optional<Long> after) {
            return String.valueOf(after.orElseThrow());
        }

        @GetMapping("/list")
        String optionalList(@RequestParam @JsonShardedId(Sealed.class) Optional<List<Long>> after) {
            return String.valueOf(after.orElseThrow().get(0));
        }

        record Search(@JsonShardedId(Sealed.class) Long after) {
        }

        record Many(@JsonShardedId(Sealed.class) List<Long> after) {
        }

        static class Bean {

            @JsonShardedId(Sealed.class)
            private long after;

            public long getAfter() {
                return this.after;
            }

            public void setAfter(long after) {
                this.after = after;
            }

        }

    }

    record PhotoId(long number) {

        public static PhotoId valueOf(String number) {
            return new PhotoId(Long.parseLong(number));
        }

    }

    @RestController
    static class Text {

        @GetMapping("/open/{id}")
        String open(@PathVariable @JsonShardedId(Sealed.class) String id) {
            return id;
        }

    }

    @RestController
    static class Wrapped {

        @GetMapping("/open/{id}")
        String open(@PathVariable @JsonShardedId(Sealed.class) PhotoId id) {
            return id.toString();
        }

    }

    @RestController
    static class Texts {

        @GetMapping("/open")
        String open(@RequestParam @JsonShardedId(Sealed.class) List<String> ids) {
            return ids.toString();
        }

    }

    @RestController
    static class Body {

        @PostMapping("/open")
        String open(@RequestBody @JsonShardedId(Sealed.class) List<Long> ids) {
            return ids.toString();
        }

    }

    @RestController
    static class PlainText {

        @GetMapping("/open/{id}")
        String open(@PathVariable @JsonShardedId(Plain.class) String id) {
            return id;
        }

    }

}
