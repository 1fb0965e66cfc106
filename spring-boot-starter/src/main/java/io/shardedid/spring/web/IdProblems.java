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

    static ProblemDetail noNumber(String parameter, String value) {
        return of(HttpStatus.BAD_REQUEST, "Not a number",
                "Could not read '%s': %1$s=%s (a whole number from %s to %s); correct it".formatted(parameter,
                        (value.length() <= SHOWN) ? value : value.substring(0, SHOWN) + "…", Long.MIN_VALUE,
                        Long.MAX_VALUE));
    }

    static ProblemDetail of(HttpStatus status, String title, String detail) {
        ProblemDetail body = ProblemDetail.forStatusAndDetail(status, detail);
        body.setTitle(title);
        return body;
    }

}
