package io.shardedid.spring.web;

import io.shardedid.jackson.UnreadableId;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.TypeMismatchException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
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
        String name = (ex instanceof MethodArgumentTypeMismatchException argument) ? argument.getName()
                : ex.getPropertyName();
        return (name != null && (ex.getRequiredType() == long.class || ex.getRequiredType() == Long.class))
                ? handleExceptionInternal(ex, IdProblems.noNumber(name, String.valueOf(ex.getValue())), headers, status,
                        request)
                : super.handleTypeMismatch(ex, headers, status, request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleHttpMessageNotReadable(HttpMessageNotReadableException ex,
            HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnreadableId id) {
                return handleExceptionInternal(ex, IdProblems.of(HttpStatus.BAD_REQUEST, "Not an id",
                        "'%s': %s".formatted(id.where(), id.getOriginalMessage())), headers, status, request);
            }
        }
        return super.handleHttpMessageNotReadable(ex, headers, status, request);
    }

}
