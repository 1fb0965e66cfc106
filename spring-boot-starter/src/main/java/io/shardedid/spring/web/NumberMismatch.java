package io.shardedid.spring.web;

import java.util.Collection;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.TypeMismatchException;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.http.ProblemDetail;
import org.springframework.util.ObjectUtils;
import org.springframework.util.StringUtils;

/**
 * What is said of a parameter of 64 bits, or of several, that is no number.
 */
final class NumberMismatch {

    private NumberMismatch() {
    }

    /**
     * Describes a mismatch.
     * @param parameter where it was, if it was a parameter of a controller
     * @return the problem, or null if no number of 64 bits was asked for
     */
    static @Nullable ProblemDetail in(TypeMismatchException ex, @Nullable String name,
            @Nullable MethodParameter parameter) {
        boolean several = parameter != null && holdsNumbers(parameter);
        return (name != null && (several || isNumber(ex.getRequiredType())))
                ? IdProblems.noNumber(name, text(ex.getValue()), several) : null;
    }

    private static boolean holdsNumbers(MethodParameter parameter) {
        ResolvableType type = ResolvableType.forMethodParameter(parameter.nestedIfOptional());
        return isNumber(type.getComponentType().resolve()) || isNumber(type.asCollection().getGeneric().resolve());
    }

    private static boolean isNumber(@Nullable Class<?> type) {
        return type == long.class || type == Long.class;
    }

    private static String text(@Nullable Object value) {
        if (value instanceof Collection<?> values) {
            return StringUtils.collectionToCommaDelimitedString(values);
        }
        return ObjectUtils.isArray(value) ? StringUtils.arrayToCommaDelimitedString(ObjectUtils.toObjectArray(value))
                : String.valueOf(value);
    }

}
