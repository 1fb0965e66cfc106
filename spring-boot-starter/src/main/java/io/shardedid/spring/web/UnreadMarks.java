package io.shardedid.spring.web;

import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import io.shardedid.jackson.JsonShardedId;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Finds marks on the parameters of methods that messages or GraphQL call: neither reads
 * them, so a number would open a row whose id has another form.
 */
final class UnreadMarks {

    /**
     * What stands on such methods, or on their annotations: listeners of JMS, Kafka and
     * RabbitMQ are mappings of messages, too.
     */
    private static final Set<String> MAPPINGS = Set.of(
            "org.springframework.messaging.handler.annotation.MessageMapping",
            "org.springframework.messaging.simp.annotation.SubscribeMapping",
            "org.springframework.graphql.data.method.annotation.SchemaMapping",
            "org.springframework.graphql.data.method.annotation.BatchMapping");

    private UnreadMarks() {
    }

    static Stream<Marked> in(ListableBeanFactory beans) {
        return Arrays.stream(beans.getBeanDefinitionNames())
            .map((name) -> beans.getType(name, false))
            .filter(Objects::nonNull)
            .map(ClassUtils::getUserClass)
            .filter((type) -> !type.getName().startsWith("org.springframework."))
            .distinct()
            .flatMap((type) -> MethodIntrospector.selectMethods(type, UnreadMarks::isMapped).stream())
            .flatMap(UnreadMarks::marked);
    }

    private static boolean isMapped(Method method) {
        MergedAnnotations marks = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        return MAPPINGS.stream().anyMatch(marks::isPresent);
    }

    private static Stream<Marked> marked(Method method) {
        return Arrays.stream(method.getParameters())
            .filter((parameter) -> parameter.isAnnotationPresent(JsonShardedId.class))
            .map((parameter) -> new Marked(name(method), parameter.getName(), mark(parameter)));
    }

    private static JsonShardedId mark(Parameter parameter) {
        return Objects.requireNonNull(parameter.getAnnotation(JsonShardedId.class));
    }

    private static String name(Method method) {
        return method.getDeclaringClass().getName() + "#" + method.getName();
    }

    /**
     * A parameter with a mark.
     *
     * @param method the class and the name of the method
     * @param parameter the name of the parameter
     * @param mark the mark
     */
    record Marked(String method, String parameter, JsonShardedId mark) {
    }

}
