package io.shardedid.spring.web;

import io.shardedid.spring.json.UnreadableId;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.beans.TypeMismatchException;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.reactive.result.method.annotation.ResponseEntityExceptionHandler;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebInputException;

/**
 * What {@link IdProblemHandler} is in Spring MVC, for WebFlux. It stands where Spring
 * Boot's own would with {@code spring.webflux.problemdetails.enabled=true}, and answers
 * everything else as that does. An application with a handler of its own may extend this
 * one.
 */
@ControllerAdvice
public class ReactiveIdProblemHandler extends ResponseEntityExceptionHandler {

    private final UrlParameterNames names = new UrlParameterNames();

    /** Makes a handler. */
    public ReactiveIdProblemHandler() {
    }

    @Override
    protected Mono<ResponseEntity<Object>> handleServerWebInputException(ServerWebInputException ex,
            HttpHeaders headers, HttpStatusCode status, ServerWebExchange exchange) {
        ProblemDetail problem = problem(ex);
        return (problem != null) ? handleExceptionInternal(ex, problem, headers, status, exchange)
                : super.handleServerWebInputException(ex, headers, status, exchange);
    }

    private @Nullable ProblemDetail problem(ServerWebInputException ex) {
        UnreadableId id = UnreadableId.in(ex);
        if (id != null) {
            return IdProblems.noIdInBody(id.where(), id.value(), id.rule());
        }
        MethodParameter parameter = ex.getMethodParameter();
        return (parameter != null && isInUrl(parameter) && ex.getCause() instanceof TypeMismatchException mismatch)
                ? NumberMismatch.in(mismatch, this.names.of(parameter), parameter) : null;
    }

    private static boolean isInUrl(MethodParameter parameter) {
        return parameter.hasParameterAnnotation(PathVariable.class)
                || parameter.hasParameterAnnotation(RequestParam.class);
    }

}
