package io.shardedid.spring.web;

import java.util.Collection;

import io.shardedid.jackson.JsonIds;
import io.shardedid.jackson.JsonIds.NoIdException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;
import org.springframework.util.ObjectUtils;
import org.springframework.core.MethodParameter;
import org.springframework.beans.TypeMismatchException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/**
 * {@link ResponseEntityExceptionHandler} that says which parameter of 64 bits, or which
 * id of a body, could not be read, and what it must look like. It replaces Spring Boot's
 * own handler of {@code spring.mvc.problemdetails.enabled=true}, and answers everything
 * else as that one does. An application with a handler of its own may extend this one.
 *
 * @since 0.1
 */
@ControllerAdvice
public class IdProblemHandler extends ResponseEntityExceptionHandler {

    /** Makes a handler. */
    public IdProblemHandler() {
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleTypeMismatch(TypeMismatchException ex, HttpHeaders headers,
            HttpStatusCode status, WebRequest request) {
        MethodArgumentTypeMismatchException argument = (ex instanceof MethodArgumentTypeMismatchException found) ? found
                : null;
        ProblemDetail problem = (argument != null) ? mismatch(ex, argument.getName(), argument.getParameter())
                : mismatch(ex, ex.getPropertyName(), null);
        return (problem != null) ? handleExceptionInternal(ex, problem, headers, status, request)
                : super.handleTypeMismatch(ex, headers, status, request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleHttpMessageNotReadable(HttpMessageNotReadableException ex,
            HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
            if (cause instanceof JsonIds.Unreadable id) {
                Object value = id.getValue();
                String shown = (value != null) ? value.toString()
                        : id.rule().equals(JsonIds.NOT_NULL) ? "null" : "an object or an array";
                return handleExceptionInternal(ex, IdProblems.noIdInBody(id.where(), shown, id.rule()), headers, status,
                        request);
            }
        }
        return super.handleHttpMessageNotReadable(ex, headers, status, request);
    }

    /**
     * Describes a mismatch.
     * @param parameter where it was, if it was a parameter of a controller
     * @return the problem, or null if neither an id nor a number of 64 bits was asked for
     */
    private static @Nullable ProblemDetail mismatch(TypeMismatchException ex, @Nullable String name,
            @Nullable MethodParameter parameter) {
        for (Throwable cause = ex; name != null && cause != null; cause = cause.getCause()) {
            if (cause instanceof NoIdException noId) {
                return IdProblems.noId(name, text(ex.getValue()), String.valueOf(noId.getMessage()));
            }
        }
        boolean several = parameter != null && IdParameters.holdsNumbers(parameter);
        return (name != null && (several || IdParameters.isNumber(ex.getRequiredType())))
                ? IdProblems.noNumber(name, text(ex.getValue()), several) : null;
    }

    private static String text(@Nullable Object value) {
        if (value instanceof Collection<?> values) {
            return StringUtils.collectionToCommaDelimitedString(values);
        }
        return ObjectUtils.isArray(value) ? StringUtils.arrayToCommaDelimitedString(ObjectUtils.toObjectArray(value))
                : String.valueOf(value);
    }

}
