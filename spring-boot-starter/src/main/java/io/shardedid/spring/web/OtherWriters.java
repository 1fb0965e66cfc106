package io.shardedid.spring.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.jackson.IdText;
import io.shardedid.jackson.IdTexts;
import io.shardedid.jackson.JsonIds;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.codec.Encoder;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.data.repository.core.support.RepositoryFactoryInformation;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpOutputMessage;
import org.springframework.http.MediaType;
import org.springframework.http.codec.EncoderHttpMessageWriter;
import org.springframework.http.codec.HttpMessageWriter;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.stereotype.Controller;
import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

/**
 * Tries what writes JSON, whatever it is: the converter that serves HTTP has to write ids
 * in the forms of the application, so the start fails if it does not and there are forms,
 * and otherwise a line of the log says that JavaScript rounds them. Other mappers and
 * converters of the application may never write an entity, so there is a line for each
 * that would write its id as a number. GraphQL writes by fields, and is looked at by the
 * types that it returns.
 */
final class OtherWriters implements SmartInitializingSingleton {

    private static final Log LOG = LogFactory.getLog(OtherWriters.class);

    private static final String REMEDY = "let Spring Boot's mapper of Jackson write JSON, or add the bean of type "
            + "'ShardedIdJacksonModule' ('ShardedIdJackson2Module' for Jackson 2) to the mapper, or ";

    private final ListableBeanFactory beans;

    private final IdTexts formats;

    OtherWriters(ListableBeanFactory beans, IdTexts formats) {
        this.beans = beans;
        this.formats = formats;
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<Class<?>> entities = ShardedEntities.in(this.beans).toList();
        Map<Class<?>, IdText> forms = new LinkedHashMap<>();
        entities.forEach((entity) -> ShardedEntities.otherForm(entity, this.formats)
            .ifPresent((format) -> forms.put(entity, format)));
        if (!entities.isEmpty()) {
            IdProbe probe = new IdProbe(this.formats);
            // a converter may take a look at all of a class before it says that it writes
            // it
            List<Class<?>> written = Stream.concat(Stream.of(IdProbe.Probe.class), forms.keySet().stream()).toList();
            Stream
                .concat(isPresent("org.springframework.web.servlet.DispatcherServlet")
                        ? Servlet.writers(this.beans, written) : Stream.empty(),
                        isPresent("org.springframework.web.reactive.DispatcherHandler")
                                ? Reactive.writers(this.beans, written) : Stream.empty())
                .forEach((served) -> check(served, forms, probe));
            WritingBeans.in(this.beans)
                .filter((bean) -> probe.leavesAsNumber(bean.writer()))
                .forEach((bean) -> LOG.warn(
                        "Bean '%s' would write ids of entities as numbers, which JavaScript rounds: type=%s; if it writes entities, %sset 'shardedid.json.as-string=false'"
                            .formatted(bean.name(), bean.type().getName(), REMEDY)));
        }
        if (isPresent(GraphQl.MAPPING)) {
            GraphQl.results(this.beans).forEach(this::refuse);
        }
        if (!this.formats.plain() || entities.stream()
            .anyMatch((entity) -> ShardedEntities.otherForm(entity, this.formats).isPresent())) {
            UnreadMarks.in(this.beans).forEach(this::refuse);
        }
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, OtherWriters.class.getClassLoader());
    }

    private static void check(Served served, Map<Class<?>, IdText> forms, IdProbe probe) {
        forms.forEach((entity, format) -> {
            if (!probe.isWritten(served.writer, entity)) {
                throw new ShardedIdConfigurationException(
                        "Ids of '%s' would not leave in their form: form=%s, writer=%s (it does not know the forms of this application)"
                            .formatted(entity.getName(), format, served.type.getName()),
                        REMEDY + "remove the form");
            }
        });
        if (probe.leavesAsNumber(served.writer)) {
            LOG.warn("Ids leave as numbers, which JavaScript rounds: writer=%s; %sset 'shardedid.json.as-string=false'"
                .formatted(served.type.getName(), REMEDY));
        }
    }

    private void refuse(UnreadMarks.Marked marked) {
        if (!JsonIds.format(marked.mark(), this.formats).plain()) {
            throw new ShardedIdConfigurationException(
                    "Parameter '%s' of '%s' would take the number of an id: form=%s (only HTTP and JSON read '@JsonShardedId')"
                        .formatted(marked.parameter(), marked.method(), JsonIds.format(marked.mark(), this.formats)),
                    "take a String, and read it by 'PublicIdFormats'");
        }
    }

    private void refuse(GraphQl.Result result) {
        ShardedEntities.otherForm(result.type, this.formats).ifPresent((format) -> {
            throw new ShardedIdConfigurationException(
                    "Ids of '%s' would leave as numbers: form=%s, source='%s' (GraphQL knows no forms)"
                        .formatted(result.type.getName(), format, result.source),
                    "return a class whose ids are Strings of 'PublicIdFormats'");
        });
    }

    /**
     * What serves HTTP.
     *
     * @param type the class of the converter or encoder
     * @param writer writes JSON by it
     */
    private record Served(Class<?> type, IdProbe.Writer writer) {
    }

    /** Loaded where there is Spring MVC. */
    private static final class Servlet {

        static Stream<Served> writers(ListableBeanFactory beans, List<Class<?>> entities) {
            return beans.getBeanProvider(RequestMappingHandlerAdapter.class)
                .stream()
                .flatMap((adapter) -> entities.stream()
                    .flatMap((entity) -> adapter.getMessageConverters()
                        .stream()
                        .filter((converter) -> converter.canWrite(entity, MediaType.APPLICATION_JSON))
                        .limit(1)))
                .distinct()
                .map((converter) -> new Served(converter.getClass(), (object) -> write(converter, object)));
        }

        @SuppressWarnings("unchecked")
        private static byte[] write(HttpMessageConverter<?> converter, Object object) throws IOException {
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            HttpHeaders headers = new HttpHeaders();
            ((HttpMessageConverter<Object>) converter).write(object, MediaType.APPLICATION_JSON,
                    new HttpOutputMessage() {
                        @Override
                        public OutputStream getBody() {
                            return body;
                        }

                        @Override
                        public HttpHeaders getHeaders() {
                            return headers;
                        }
                    });
            return body.toByteArray();
        }

    }

    /** Loaded where there is Spring WebFlux. */
    private static final class Reactive {

        static Stream<Served> writers(ListableBeanFactory beans, List<Class<?>> entities) {
            return beans.getBeanProvider(ServerCodecConfigurer.class)
                .stream()
                .flatMap((codecs) -> entities.stream().flatMap((entity) -> encoder(codecs.getWriters(), entity)))
                .distinct()
                .map((encoder) -> new Served(encoder.getClass(), (object) -> write(encoder, object)));
        }

        private static Stream<Encoder<?>> encoder(List<HttpMessageWriter<?>> writers, Class<?> entity) {
            return writers.stream()
                .filter((writer) -> writer.canWrite(ResolvableType.forClass(entity), MediaType.APPLICATION_JSON))
                .limit(1)
                .filter(EncoderHttpMessageWriter.class::isInstance)
                .map((writer) -> ((EncoderHttpMessageWriter<?>) writer).getEncoder());
        }

        @SuppressWarnings("unchecked")
        private static byte[] write(Encoder<?> encoder, Object object) {
            DataBuffer written = ((Encoder<Object>) encoder).encodeValue(object,
                    DefaultDataBufferFactory.sharedInstance, ResolvableType.forInstance(object),
                    MediaType.APPLICATION_JSON, null);
            return written.toString(StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
        }

    }

    /** Knows the annotations of Spring for GraphQL by their names. */
    private static final class GraphQl {

        private static final String PACKAGE = "org.springframework.graphql.data.";

        static final String MAPPING = PACKAGE + "method.annotation.SchemaMapping";

        private static final String BATCH = PACKAGE + "method.annotation.BatchMapping";

        private static final String REPOSITORY = PACKAGE + "GraphQlRepository";

        /**
         * Returns what the controllers return, and what the exported repositories hold.
         */
        static Stream<Result> results(ListableBeanFactory beans) {
            return Stream.concat(
                    Stream.of(beans.getBeanNamesForAnnotation(Controller.class))
                        .flatMap((name) -> methods(beans, name)),
                    isPresent("org.springframework.data.repository.core.support.RepositoryFactoryInformation")
                            ? Repositories.results(beans) : Stream.empty());
        }

        private static Stream<Result> methods(ListableBeanFactory beans, String name) {
            Class<?> type = beans.getType(name);
            return (type == null) ? Stream.empty() : MethodIntrospector
                .selectMethods(ClassUtils.getUserClass(type), GraphQl::isMapped)
                .stream()
                .flatMap((method) -> types(ResolvableType.forMethodReturnType(method, type)).map(
                        (result) -> new Result(result, method.getDeclaringClass().getName() + "#" + method.getName())));
        }

        private static boolean isMapped(Method method) {
            MergedAnnotations marks = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
            return marks.isPresent(MAPPING) || marks.isPresent(BATCH);
        }

        private static Stream<Class<?>> types(ResolvableType type) {
            return Stream.concat(Stream.of(type.isArray() ? type.getComponentType().toClass() : type.toClass()),
                    Stream.of(type.getGenerics()).flatMap(GraphQl::types));
        }

        /**
         * A class that GraphQL writes.
         *
         * @param type the class
         * @param source what returns it
         */
        private record Result(Class<?> type, String source) {
        }

        /** Loaded where there is Spring Data. */
        private static final class Repositories {

            static Stream<Result> results(ListableBeanFactory beans) {
                return beans.getBeansOfType(RepositoryFactoryInformation.class)
                    .values()
                    .stream()
                    .map((repository) -> repository.getRepositoryInformation())
                    .filter((repository) -> MergedAnnotations.from(repository.getRepositoryInterface())
                        .isPresent(REPOSITORY))
                    .map((repository) -> new Result(repository.getDomainType(),
                            repository.getRepositoryInterface().getName()));
            }

        }

    }

}
