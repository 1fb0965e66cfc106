package io.shardedid.spring.web;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;

/**
 * The problem details of ids (RFC 9457).
 */
final class IdProblems {

    /** What a reader needs of a value; a URL can hold kilobytes. */
    private static final int SHOWN = 40;

    private IdProblems() {
    }

    static ProblemDetail noNumber(String parameter, String value, boolean several) {
        return of(HttpStatus.BAD_REQUEST, "Not a number",
                "Could not read '%s': %1$s=%s (%s from %s to %s); correct it".formatted(parameter, shown(value),
                        several ? "whole numbers" : "a whole number", Long.MIN_VALUE, Long.MAX_VALUE));
    }

    static ProblemDetail noId(String parameter, String value, String rule) {
        return of(HttpStatus.BAD_REQUEST, "Not an id",
                "Could not read '%s': %1$s=%s (%s); correct it".formatted(parameter, shown(value), rule));
    }

    static ProblemDetail noIdInBody(String where, String value, String rule) {
        return of(HttpStatus.BAD_REQUEST, "Not an id",
                "Could not read the id '%s' of the body: %1$s=%s (%s); correct it".formatted(where,
                        shown(String.valueOf(value)), rule));
    }

    static ProblemDetail of(HttpStatus status, String title, String detail) {
        ProblemDetail body = ProblemDetail.forStatusAndDetail(status, detail);
        body.setTitle(title);
        return body;
    }

    private static String shown(String value) {
        return (value.length() <= SHOWN) ? value : value.substring(0, SHOWN) + "…";
    }

}
