package io.shardedid.spring.web;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.jackson.IdTexts;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.data.repository.core.support.RepositoryFactoryInformation;
import org.springframework.http.MediaType;
import org.springframework.http.codec.EncoderHttpMessageWriter;
import org.springframework.http.codec.HttpMessageWriter;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.http.converter.json.AbstractJsonHttpMessageConverter;
import org.springframework.stereotype.Controller;
import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

/**
 * Looks for what writes ids past Jackson, which alone knows their forms: Gson, JSON-B and
 * GraphQL. They write the number, so the start fails where ids have another form, and
 * where they have none, a line of the log says that JavaScript rounds them.
 */
final class OtherWriters implements SmartInitializingSingleton {

    private static final Log LOG = LogFactory.getLog(OtherWriters.class);

    private static final String JACKSON = "let Jackson write JSON, as with 'preferred-json-mapper=jackson', or ";

    private final ListableBeanFactory beans;

    private final IdTexts formats;

    OtherWriters(ListableBeanFactory beans, IdTexts formats) {
        this.beans = beans;
        this.formats = formats;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Stream.concat(
                isPresent("org.springframework.web.servlet.DispatcherServlet") ? Servlet.writers(this.beans)
                        : Stream.empty(),
                isPresent("org.springframework.web.reactive.DispatcherHandler") ? Reactive.writers(this.beans)
                        : Stream.empty())
            .findFirst()
            .ifPresent(this::refuse);
        if (isPresent(GraphQl.MAPPING)) {
            GraphQl.results(this.beans).forEach(this::refuse);
        }
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, OtherWriters.class.getClassLoader());
    }

    private void refuse(Class<?> writer) {
        List<Class<?>> entities = ShardedEntities.in(this.beans).toList();
        for (Class<?> entity : entities) {
            ShardedEntities.otherForm(entity, this.formats).ifPresent((format) -> {
                throw new ShardedIdConfigurationException(
                        "Ids of '%s' would leave as numbers: form=%s, writer=%s (Jackson alone writes forms)"
                            .formatted(entity.getName(), format, writer.getName()),
                        JACKSON + "remove the form");
            });
        }
        if (!entities.isEmpty()) {
            LOG.warn(("Ids leave as numbers, which JavaScript rounds: writer=%s (Jackson alone writes strings); "
                    + JACKSON + "set 'shardedid.json.as-string=false'")
                .formatted(writer.getName()));
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

    /** Loaded where there is Spring MVC. */
    private static final class Servlet {

        /** Gson's converter and that of JSON-B have a superclass in common. */
        static Stream<Class<?>> writers(ListableBeanFactory beans) {
            return beans.getBeanProvider(RequestMappingHandlerAdapter.class)
                .stream()
                .flatMap((adapter) -> adapter.getMessageConverters()
                    .stream()
                    .filter((converter) -> converter.canWrite(Object.class, MediaType.APPLICATION_JSON))
                    .limit(1))
                .filter(AbstractJsonHttpMessageConverter.class::isInstance)
                .map(Object::getClass);
        }

    }

    /** Loaded where there is Spring WebFlux. */
    private static final class Reactive {

        /** Spring 6.2 has no such class. */
        private static final String GSON = "org.springframework.http.codec.json.GsonEncoder";

        static Stream<Class<?>> writers(ListableBeanFactory beans) {
            return beans.getBeanProvider(ServerCodecConfigurer.class)
                .stream()
                .flatMap((codecs) -> encoder(codecs.getWriters()).stream())
                .filter((encoder) -> encoder.getName().equals(GSON));
        }

        private static Optional<Class<?>> encoder(List<HttpMessageWriter<?>> writers) {
            return writers.stream()
                .filter((writer) -> writer.canWrite(ResolvableType.forClass(Object.class), MediaType.APPLICATION_JSON))
                .findFirst()
                .filter(EncoderHttpMessageWriter.class::isInstance)
                .map((writer) -> ((EncoderHttpMessageWriter<?>) writer).getEncoder().getClass());
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
