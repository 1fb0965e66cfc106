package io.shardedid.sample.problem;

import java.nio.charset.StandardCharsets;

import io.shardedid.ShardedIdException;
import jakarta.servlet.http.HttpServletRequest;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.resource.NoResourceFoundException;
import org.springframework.web.util.DisconnectedClientHelper;

/**
 * Answers every exception: as {@link ProblemDetail} under {@code /api}, as a readable
 * page elsewhere, with the same status and text.
 */
@ControllerAdvice
class ProblemAdvice {

    private static final Logger LOG = LoggerFactory.getLogger(ProblemAdvice.class);

    @ExceptionHandler
    @Nullable Object answer(Exception exception, HttpServletRequest request) {
        if (DisconnectedClientHelper.isClientDisconnectedException(exception)) {
            // Nobody is left to read an answer.
            return null;
        }
        ErrorResponse response = responseTo(exception, request.getRequestURI());
        ProblemDetail problem = response.getBody();
        if (request.getRequestURI().startsWith(request.getContextPath() + "/api/")) {
            return ResponseEntity.status(response.getStatusCode())
                .headers(response.getHeaders())
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .body(problem);
        }
        ModelAndView page = new ModelAndView("problem", "problem", problem);
        page.setStatus(response.getStatusCode());
        return page;
    }

    private ErrorResponse responseTo(Exception exception, String path) {
        if (exception instanceof MethodArgumentTypeMismatchException mismatch) {
            return Problems.mismatch(mismatch);
        }
        if (exception instanceof NoResourceFoundException) {
            return Problems.noPage(path);
        }
        if (exception instanceof InvalidParameterException) {
            return Problems.malformed("The parameters must be readable as", StandardCharsets.UTF_8);
        }
        if (exception instanceof ErrorResponse known) {
            return known;
        }
        if (refusal(exception) instanceof ShardedIdException refused && refused.retryable()) {
            LOG.warn("No id: {}", refused.getMessage());
            return Problems.noId();
        }
        LOG.error("Could not answer a request", exception);
        return Problems.unforeseen();
    }

    /** Spring translates what a repository throws, and keeps it as a cause. */
    private static @Nullable Throwable refusal(Throwable exception) {
        Throwable at = exception;
        while (at != null && !(at instanceof ShardedIdException)) {
            at = at.getCause();
        }
        return at;
    }

}
