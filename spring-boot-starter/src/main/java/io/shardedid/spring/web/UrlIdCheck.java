package io.shardedid.spring.web;

import java.util.Map;
import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Refuses requests whose {@link UrlShardedId} parameters cannot be ids. An interceptor,
 * since where a converter refuses a text Spring falls back to its own reading of it.
 */
final class UrlIdCheck implements HandlerInterceptor {

    private final UrlIds ids;

    UrlIdCheck(UrlIds ids) {
        this.ids = ids;
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        if (handler instanceof HandlerMethod method) {
            this.ids.check(method, new ServletTexts(request));
        }
        return true;
    }

    private record ServletTexts(HttpServletRequest request) implements UrlIds.Texts {

        @Override
        public @Nullable String variable(String name) {
            Object variables = this.request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
            return (variables instanceof Map<?, ?> texts) ? (String) texts.get(name) : null;
        }

        @Override
        public Stream<String> parameters(String name) {
            String @Nullable [] values = this.request.getParameterValues(name);
            return (values != null) ? Stream.of(values) : Stream.empty();
        }

    }

}
