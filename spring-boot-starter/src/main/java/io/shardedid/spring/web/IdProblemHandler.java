package io.shardedid.spring.web;

import org.jspecify.annotations.Nullable;

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
 * id of a body, could not be read, and what it must look like. It stands where Spring
 * Boot's own would with {@code spring.mvc.problemdetails.enabled=true}, and answers
 * everything else as that does. An application with a handler of its own may extend this
 * one.
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
        ProblemDetail problem = (argument != null) ? NumberMismatch.in(ex, argument.getName(), argument.getParameter())
                : NumberMismatch.in(ex, ex.getPropertyName(), null);
        return (problem != null) ? handleExceptionInternal(ex, problem, headers, status, request)
                : super.handleTypeMismatch(ex, headers, status, request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleHttpMessageNotReadable(HttpMessageNotReadableException ex,
            HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        UnreadableId id = UnreadableId.in(ex);
        return (id != null) ? handleExceptionInternal(ex, IdProblems.noIdInBody(id.where(), id.value(), id.rule()),
                headers, status, request) : super.handleHttpMessageNotReadable(ex, headers, status, request);
    }

}
