package io.shardedid.sample.problem;

import java.time.temporal.Temporal;
import java.util.Collection;
import java.util.Locale;

import io.shardedid.jackson.JsonShardedId;

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

    static ErrorResponseException inNoShard() {
        return problem(HttpStatus.NOT_FOUND, "Nothing has this id",
                "No shard can hold a row with this id. 'Read an id' shows what it says.");
    }

    public static ErrorResponseException notAnImage() {
        return problem(HttpStatus.UNSUPPORTED_MEDIA_TYPE, "Not an image",
                "The file must be a PNG, JPEG or GIF image by its content, whatever its name says; choose another.");
    }

    public static ErrorResponseException tooManyPixels(int width, int height, long limit) {
        return problem(HttpStatus.CONTENT_TOO_LARGE, "Too large", String.format(Locale.ROOT,
                "An image must have at most %,d pixels: width=%s, height=%s; scale it down.", limit, width, height));
    }

    public static ErrorResponseException tooLongASide(int width, int height, int limit) {
        return problem(HttpStatus.CONTENT_TOO_LARGE, "Too large",
                String.format(Locale.ROOT,
                        "An image must be at most %,d pixels wide and high: width=%s, height=%s; scale it down.", limit,
                        width, height));
    }

    public static ErrorResponseException tooManyUploads() {
        return problem(HttpStatus.SERVICE_UNAVAILABLE, "Too many at once",
                "Other uploads are being read just now. Nothing was published; send it again in a moment.");
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

    public static ErrorResponseException busy(String what) {
        return problem(HttpStatus.CONFLICT, "One at a time", what);
    }

    static ErrorResponseException tooManyBytes(String limit) {
        return problem(HttpStatus.CONTENT_TOO_LARGE, "Too large",
                "A file must have at most %s; choose a smaller one.".formatted(limit));
    }

    static ErrorResponseException mismatch(MethodArgumentTypeMismatchException mismatch) {
        Class<?> type = mismatch.getRequiredType();
        long smallest = mismatch.getParameter().hasParameterAnnotation(JsonShardedId.class) ? 0 : Long.MIN_VALUE;
        String rule = (type == long.class || type == Long.class)
                ? "'%s' must be a whole number in [%s, %s]".formatted(mismatch.getName(), smallest, Long.MAX_VALUE)
                : (type != null && Temporal.class.isAssignableFrom(type))
                        ? "'%s' must be a date or time as ISO 8601 writes it, for example %s"
                            .formatted(mismatch.getName(), TemporalExample.of(type))
                        : "'%s' has another form".formatted(mismatch.getName());
        return malformed(rule, String.valueOf(mismatch.getValue()));
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
