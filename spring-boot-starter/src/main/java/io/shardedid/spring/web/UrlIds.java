package io.shardedid.spring.web;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.shardedid.ShardedIds;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.MethodParameter;
import org.springframework.util.StringUtils;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.method.HandlerMethod;

/**
 * Tells which {@link UrlShardedId} parameters of a request cannot be ids, whichever of
 * Spring's web frameworks asks.
 */
final class UrlIds {

    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,19}");

    private final UrlParameterNames names = new UrlParameterNames();

    private final ObjectProvider<ShardedIds> engines;

    UrlIds(ObjectProvider<ShardedIds> engines) {
        this.engines = engines;
    }

    static boolean isIn(HandlerMethod method) {
        return Stream.of(method.getMethodParameters()).anyMatch(UrlIds::isId);
    }

    private static boolean isId(MethodParameter parameter) {
        return parameter.hasParameterAnnotation(UrlShardedId.class);
    }

    /**
     * Refuses the first of the parameters that cannot be an id.
     * @param method what the request is for
     * @param request what it says
     */
    void check(HandlerMethod method, Texts request) {
        for (MethodParameter parameter : method.getMethodParameters()) {
            if (isId(parameter)) {
                check(parameter, request);
            }
        }
    }

    private void check(MethodParameter parameter, Texts request) {
        String name = this.names.of(parameter);
        Stream<String> texts = parameter.hasParameterAnnotation(PathVariable.class)
                ? Stream.ofNullable(request.variable(name)) : request.parameters(name);
        if (isSeveral(parameter.nestedIfOptional().getNestedParameterType())) {
            texts = texts.flatMap((text) -> Stream.of(StringUtils.commaDelimitedListToStringArray(text)))
                .map(String::strip);
        }
        texts.filter((text) -> !text.isEmpty()).forEach((text) -> check(name, text));
    }

    private void check(String name, String text) {
        long id = read(name, text);
        ShardedIds ids = this.engines.getIfUnique();
        if (ids == null || (id <= ids.layout().lastId() && ids.legacy(id))) {
            return;
        }
        List<String> doubts = ids.doubts(id);
        if (!doubts.isEmpty()) {
            throw IdProblems.noId(name, text, String.join("; ", doubts));
        }
    }

    private static long read(String name, String text) {
        if (DIGITS.matcher(text).matches()) {
            try {
                return Long.parseLong(text);
            }
            catch (NumberFormatException tooBig) {
                // falls through
            }
        }
        throw IdProblems.noId(name, text, "an id is a whole number from 0 to " + Long.MAX_VALUE);
    }

    private static boolean isSeveral(Class<?> type) {
        return type.isArray() || Iterable.class.isAssignableFrom(type);
    }

    /** The texts of a request. */
    interface Texts {

        @Nullable String variable(String name);

        Stream<String> parameters(String name);

    }

}
