package io.shardedid.spring.web;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.server.ServerWebExchange;

/**
 * What {@link UrlIdCheck} does, for WebFlux. That has no interceptors: this stands before
 * the adapter of controllers and hands on to it what may be an id.
 */
final class ReactiveUrlIdCheck implements HandlerAdapter, Ordered {

    private final UrlIds ids;

    private final ObjectProvider<RequestMappingHandlerAdapter> controllers;

    ReactiveUrlIdCheck(UrlIds ids, ObjectProvider<RequestMappingHandlerAdapter> controllers) {
        this.ids = ids;
        this.controllers = controllers;
    }

    @Override
    public int getOrder() {
        return 0;
    }

    @Override
    public boolean supports(Object handler) {
        return handler instanceof HandlerMethod method && UrlIds.isIn(method);
    }

    @Override
    public Mono<HandlerResult> handle(ServerWebExchange exchange, Object handler) {
        return Mono.fromRunnable(() -> this.ids.check((HandlerMethod) handler, new ExchangeTexts(exchange)))
            .then(Mono.defer(() -> this.controllers.getObject().handle(exchange, handler)));
    }

    private record ExchangeTexts(ServerWebExchange exchange) implements UrlIds.Texts {

        @Override
        public @Nullable String variable(String name) {
            Map<String, String> texts = this.exchange.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
            return (texts != null) ? texts.get(name) : null;
        }

        @Override
        public Stream<String> parameters(String name) {
            // an element is null for a parameter without '='
            List<String> values = this.exchange.getRequest().getQueryParams().get(name);
            return (values != null) ? values.stream().filter(Objects::nonNull) : Stream.empty();
        }

    }

}
