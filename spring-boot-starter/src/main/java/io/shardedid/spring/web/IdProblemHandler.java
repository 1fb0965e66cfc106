package io.shardedid.spring.web;

import io.shardedid.spring.json.UnreadableId;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.TypeMismatchException;
import org.springframework.core.ResolvableType;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.util.ObjectUtils;
import org.springframework.util.StringUtils;
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
        boolean numbers = ex instanceof MethodArgumentTypeMismatchException argument && holdsNumbers(argument);
        String name = (ex instanceof MethodArgumentTypeMismatchException argument) ? argument.getName()
                : ex.getPropertyName();
        if (name == null || !(numbers || isNumber(ex.getRequiredType()))) {
            return super.handleTypeMismatch(ex, headers, status, request);
        }
        String value = ObjectUtils.isArray(ex.getValue())
                ? StringUtils.arrayToCommaDelimitedString(ObjectUtils.toObjectArray(ex.getValue()))
                : String.valueOf(ex.getValue());
        return handleExceptionInternal(ex, IdProblems.noNumber(name, value, numbers), headers, status, request);
    }

    private static boolean holdsNumbers(MethodArgumentTypeMismatchException ex) {
        ResolvableType type = ResolvableType.forMethodParameter(ex.getParameter().nestedIfOptional());
        return isNumber(type.getComponentType().resolve()) || isNumber(type.asCollection().getGeneric().resolve());
    }

    private static boolean isNumber(@Nullable Class<?> type) {
        return type == long.class || type == Long.class;
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleHttpMessageNotReadable(HttpMessageNotReadableException ex,
            HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        UnreadableId id = UnreadableId.in(ex);
        return (id != null) ? handleExceptionInternal(ex, IdProblems.noIdInBody(id.where(), id.value(), id.rule()),
                headers, status, request) : super.handleHttpMessageNotReadable(ex, headers, status, request);
    }

}
