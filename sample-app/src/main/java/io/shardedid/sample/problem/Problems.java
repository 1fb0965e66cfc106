package io.shardedid.sample.problem;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.temporal.Temporal;
import java.util.Collection;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;

/**
 * The problems that this application knows, each with a text that says what to do.
 */
public final class Problems {

    private Problems() {
    }

    public static ErrorResponseException unknown(String what, long id) {
        return problem(HttpStatus.NOT_FOUND, "Nothing has this id",
                "There is no %s with this id: id=%s. It may never have been made here; 'Read an id' shows what it says."
                    .formatted(what, id));
    }

    static ErrorResponseException noPage(String path) {
        return problem(HttpStatus.NOT_FOUND, "There is no page here",
                "Nothing is at this address: path=%s; the photos, the times and the ids are in the navigation."
                    .formatted(path));
    }

    public static ErrorResponseException signUpFirst() {
        return problem(HttpStatus.FORBIDDEN, "Who are you?",
                "This needs a user, and this session has none; sign up, a name is enough.");
    }

    public static ErrorResponseException foreignSite(String origin) {
        return problem(HttpStatus.FORBIDDEN, "Sent by another site",
                "A page of another site sent this request, so it was not carried out: origin=%s; use the pages here."
                    .formatted(origin));
    }

    public static ErrorResponseException foreignHost(String host, Collection<String> hosts) {
        return problem(HttpStatus.FORBIDDEN, "Not here", "Here nobody answers to this name: host=%s (sample.hosts=%s)."
            .formatted(host, String.join(",", hosts)));
    }

    public static ErrorResponseException malformed(String rule, Object value) {
        return problem(HttpStatus.BAD_REQUEST, "Not readable", "%s: '%s'.".formatted(rule, value));
    }

    static ErrorResponseException mismatch(MethodArgumentTypeMismatchException mismatch) {
        Class<?> type = mismatch.getRequiredType();
        String rule = (type == long.class || type == Long.class)
                ? "'%s' must be a whole number of at most 64 bits".formatted(mismatch.getName())
                : (type != null && Temporal.class.isAssignableFrom(type))
                        ? "'%s' must be a date or time as ISO 8601 writes it, for example %s"
                            .formatted(mismatch.getName(), example(type))
                        : "'%s' has another form".formatted(mismatch.getName());
        return malformed(rule, String.valueOf(mismatch.getValue()));
    }

    private static String example(Class<?> temporal) {
        return (temporal == LocalDate.class) ? "2026-11-21"
                : (temporal == LocalDateTime.class) ? "2026-11-21T10:15" : "2026-11-21T10:15:00Z";
    }

    static ErrorResponseException noId() {
        return problem(HttpStatus.SERVICE_UNAVAILABLE, "No id just now",
                "No id can be made just now. Nothing was written; send it again in a moment.");
    }

    static ErrorResponseException unforeseen() {
        return problem(HttpStatus.INTERNAL_SERVER_ERROR, "That should not have happened",
                "The server failed; its log says why. Nothing half done was kept.");
    }

    private static ErrorResponseException problem(HttpStatus status, String title, String detail) {
        ProblemDetail body = ProblemDetail.forStatusAndDetail(status, detail);
        body.setTitle(title);
        return new ErrorResponseException(status, body, null);
    }

}
