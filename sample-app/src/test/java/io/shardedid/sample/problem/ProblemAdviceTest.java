package io.shardedid.sample.problem;

import io.shardedid.ShardedIdException;
import io.shardedid.WorkerLeaseException;
import io.shardedid.spring.boot.ShardedIdExceptionTranslator;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.servlet.ModelAndView;

import static org.assertj.core.api.Assertions.assertThat;

class ProblemAdviceTest {

    private static final String DETAIL = "The server failed; its log says why. Nothing half done was kept.";

    private final ProblemAdvice advice = new ProblemAdvice();

    private final Exception secret = new IllegalStateException("select * from app_user at db.example:5432",
            new IllegalArgumentException("password=secret"));

    @Test
    void whatNobodyForesawIsTextForPeopleAndNotTheExceptions() {
        ResponseEntity<?> answer = (ResponseEntity<?>) this.advice.answer(this.secret,
                new MockHttpServletRequest("GET", "/api/photos"));
        assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.INTERNAL_SERVER_ERROR);
        ProblemDetail problem = (ProblemDetail) answer.getBody();
        assertThat(problem.getDetail()).isEqualTo(DETAIL);
        assertThat(problem.toString()).doesNotContain("select", "secret", "IllegalState");
    }

    /** As a repository throws it: Spring has translated it. */
    @Test
    void visitorsMayTryAgainWithoutALeaseAndLearnNothingOfTheServer() {
        Exception noLease = new ShardedIdExceptionTranslator()
            .translateExceptionIfPossible(new WorkerLeaseException("Worker lease expired: database=db.example:5432"));
        ResponseEntity<?> answer = (ResponseEntity<?>) this.advice.answer(noLease,
                new MockHttpServletRequest("POST", "/api/users"));
        assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
        assertThat(((ProblemDetail) answer.getBody()).getDetail())
            .isEqualTo("No id can be made just now. Nothing was written; send it again in a moment.");
    }

    @Test
    void whatNoRetryMendsIsAFailure() {
        Exception closed = new ShardedIdExceptionTranslator()
            .translateExceptionIfPossible(new ShardedIdException("Could not generate ids: the engine is closed"));
        ModelAndView page = (ModelAndView) this.advice.answer(closed, new MockHttpServletRequest("POST", "/sign-up"));
        assertThat(page.getStatus()).isEqualTo(HttpStatus.INTERNAL_SERVER_ERROR);
    }

    @Test
    void itIsAPageElsewhere() {
        ModelAndView page = (ModelAndView) this.advice.answer(this.secret, new MockHttpServletRequest("GET", "/"));
        assertThat(page.getStatus()).isEqualTo(HttpStatus.INTERNAL_SERVER_ERROR);
        assertThat(page.getViewName()).isEqualTo("problem");
        assertThat(((ProblemDetail) page.getModel().get("problem")).getDetail()).isEqualTo(DETAIL);
    }

}
