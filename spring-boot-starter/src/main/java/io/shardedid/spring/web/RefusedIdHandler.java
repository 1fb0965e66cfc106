package io.shardedid.spring.web;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIdException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/**
 * Answers what made an id, or the row that it was for, impossible. Its texts name no
 * hosts and no workers, which those in the log do. Handlers of the application come
 * first, since this one has the lowest precedence.
 */
@ControllerAdvice
final class RefusedIdHandler {

    private static final Log LOG = LogFactory.getLog(RefusedIdHandler.class);

    /** As long as a caller of the engine has just waited by default. */
    private static final int RETRY_AFTER_SECONDS = 5;

    @ExceptionHandler
    ResponseEntity<ProblemDetail> answer(ShardedIdException refused) {
        if (refused.retryable()) {
            LOG.warn("No id: " + refused.getMessage());
            return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
                .header(HttpHeaders.RETRY_AFTER, Integer.toString(RETRY_AFTER_SECONDS))
                .body(IdProblems.of(HttpStatus.SERVICE_UNAVAILABLE, "No id just now",
                        "Could not make an id: nothing was written; try again in %s s".formatted(RETRY_AFTER_SECONDS)));
        }
        ProblemDetail body = body(refused);
        if (body.getStatus() == HttpStatus.NOT_FOUND.value()) {
            LOG.debug("No row: " + refused.getMessage());
        }
        if (body.getStatus() == HttpStatus.INTERNAL_SERVER_ERROR.value()) {
            LOG.error("No id", refused);
        }
        return ResponseEntity.status(body.getStatus()).body(body);
    }

    private static ProblemDetail body(ShardedIdException refused) {
        if (refused.hidesRow()) {
            return notFound();
        }
        return (refused instanceof ShardKeyException misplaced) ? body(misplaced.reason()) : serverError();
    }

    private static ProblemDetail body(ShardKeyException.Reason reason) {
        return switch (reason) {
            case ID_NOT_OF_ROW -> IdProblems.of(HttpStatus.BAD_REQUEST, "Not an id of this row",
                    "Could not keep the id that was given (it must be of the shard of its row, and its time must have "
                            + "come); leave it out, or correct it");
            case KEY_CHANGED -> IdProblems.of(HttpStatus.CONFLICT, "Bound to its shard",
                    "Could not change the row: its shard key must stay in the shard of its id; make a new row instead");
            case NO_SUCH_ID, SHARD_UNKNOWN, KEY_IS_ID -> serverError();
        };
    }

    /** Whether the row is in another shard is nothing that strangers are told. */
    private static ProblemDetail notFound() {
        return IdProblems.of(HttpStatus.NOT_FOUND, "No such row", "Could not find the row: no row here has this id");
    }

    private static ProblemDetail serverError() {
        return IdProblems.of(HttpStatus.INTERNAL_SERVER_ERROR, "No id",
                "Could not make an id: nothing was written; the log of the server says why");
    }

}
