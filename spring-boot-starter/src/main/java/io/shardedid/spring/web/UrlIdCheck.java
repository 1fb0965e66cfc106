package io.shardedid.spring.web;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.shardedid.IdDoubts;
import io.shardedid.ShardedIds;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodParameter;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.util.StringUtils;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Refuses requests whose {@link UrlShardedId} parameters cannot be ids. An interceptor,
 * since where a converter refuses a text Spring falls back to its own reading of it.
 */
final class UrlIdCheck implements HandlerInterceptor {

    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,19}");

    /** How far the clocks of processes may differ before they say so themselves. */
    private static final Duration CLOCK_ERROR = Duration.ofSeconds(10);

    private final ParameterNameDiscoverer names = new DefaultParameterNameDiscoverer();

    private final ObjectProvider<ShardedIds> engines;

    UrlIdCheck(ObjectProvider<ShardedIds> engines) {
        this.engines = engines;
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        if (handler instanceof HandlerMethod method) {
            for (MethodParameter parameter : method.getMethodParameters()) {
                if (parameter.hasParameterAnnotation(UrlShardedId.class)) {
                    check(parameter, request);
                }
            }
        }
        return true;
    }

    private void check(MethodParameter parameter, HttpServletRequest request) {
        PathVariable variable = parameter.getParameterAnnotation(PathVariable.class);
        RequestParam query = parameter.getParameterAnnotation(RequestParam.class);
        String name = name(parameter, (variable != null) ? variable.name() : (query != null) ? query.name() : "");
        Stream<String> texts = (variable != null) ? Stream.ofNullable(variables(request).get(name))
                : parameters(request, name);
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
        List<String> doubts = IdDoubts.of(id, ids.layout(), ids.shards(),
                ids.clock().instant().plus(ids.terms().maxAhead()).plus(CLOCK_ERROR));
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

    private String name(MethodParameter parameter, String given) {
        if (!given.isEmpty()) {
            return given;
        }
        parameter.initParameterNameDiscovery(this.names);
        String name = parameter.getParameterName();
        if (name == null) {
            throw new IllegalStateException(("'@UrlShardedId' must find the name of its parameter: %s; name it in "
                    + "'@PathVariable' or '@RequestParam', or compile with '-parameters'")
                .formatted(parameter));
        }
        return name;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, String> variables(HttpServletRequest request) {
        Object variables = request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
        return (variables != null) ? (Map<String, String>) variables : Map.of();
    }

    private static Stream<String> parameters(HttpServletRequest request, String name) {
        String @Nullable [] values = request.getParameterValues(name);
        return (values != null) ? Stream.of(values) : Stream.empty();
    }

    private static boolean isSeveral(Class<?> type) {
        return type.isArray() || Iterable.class.isAssignableFrom(type);
    }

}
