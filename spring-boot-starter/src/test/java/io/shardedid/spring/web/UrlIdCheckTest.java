package io.shardedid.spring.web;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.LeaseHolder;
import io.shardedid.LeaseSource;
import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerHolding;
import io.shardedid.test.TestClock;
import io.shardedid.test.TestWorker;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** What the check knows of ids from the engines of the context. */
class UrlIdCheckTest {

    private static final Instant NOON = Instant.parse("2025-06-01T12:00:00Z");

    /**
     * A plain number, from a sequence: as an id of the layout its shard would be 3,526.
     */
    private static final long FROM_A_SEQUENCE = 3526L << 10;

    private final TestClock clock = TestClock.at(NOON);

    @Test
    void letsThroughWhatIsOlderThanTheGenerator() throws Exception {
        long firstTick = IdLayout.instagram().tickAt(NOON) - 1;
        try (ShardedIds ids = open(new Since(firstTick))) {
            assertThat(passes(FROM_A_SEQUENCE, ids)).isTrue();
        }
    }

    @Test
    void doubtsItWhereNobodyKnowsSinceWhenIdsAreMade() throws Exception {
        try (ShardedIds ids = open(TestWorker.of(0))) {
            assertThatExceptionOfType(ErrorResponseException.class).isThrownBy(() -> passes(FROM_A_SEQUENCE, ids))
                .satisfies((refused) -> assertThat(refused.getBody().getDetail())
                    .isEqualTo("Could not read the id 'id': id=3610624 (its shard, 3526, is outside [0, 1999]); "
                            + "correct it"));
        }
    }

    @Test
    void asksNoEngineWhereThereAreSeveral() throws Exception {
        try (ShardedIds one = open(TestWorker.of(0)); ShardedIds other = open(TestWorker.of(0))) {
            assertThat(passes(FROM_A_SEQUENCE, one, other)).isTrue();
        }
    }

    @Test
    void refusesTheAnnotationWhereItWouldCheckNothing() throws NoSuchMethodException {
        HandlerMethod handler = new HandlerMethod(new Controller(), "header", long.class);

        assertThatIllegalStateException()
            .isThrownBy(() -> check().preHandle(new MockHttpServletRequest(), new MockHttpServletResponse(), handler))
            .withMessage(
                    "'@UrlShardedId' must stand on a path variable or a request parameter: method 'header' parameter 0; "
                            + "remove it there");
    }

    @Test
    void leavesOtherHandlersAlone() {
        assertThat(check().preHandle(new MockHttpServletRequest(), new MockHttpServletResponse(), "a resource"))
            .isTrue();
    }

    private ShardedIds open(LeaseSource workers) {
        return ShardedIds.builder().timeSource(this.clock).workers(workers).open();
    }

    private static boolean passes(long id, ShardedIds... engines) throws NoSuchMethodException {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE, Map.of("id", Long.toString(id)));
        HandlerMethod handler = new HandlerMethod(new Controller(), "photo", long.class);
        return check(engines).preHandle(request, new MockHttpServletResponse(), handler);
    }

    private static UrlIdCheck check(ShardedIds... engines) {
        StaticListableBeanFactory beans = new StaticListableBeanFactory();
        for (int i = 0; i < engines.length; i++) {
            beans.addBean("engine" + i, engines[i]);
        }
        return new UrlIdCheck(new UrlIds(beans.getBeanProvider(ShardedIds.class)));
    }

    public static class Controller {

        public long photo(@PathVariable @UrlShardedId long id) {
            return id;
        }

        public long header(@RequestHeader("X-Photo") @UrlShardedId long id) {
            return id;
        }

    }

    /** A worker whose lease table knows the tick of the very first lease. */
    private record Since(long firstTick, TestWorker worker) implements LeaseSource {

        Since(long firstTick) {
            this(firstTick, TestWorker.of(0));
        }

        @Override
        public String identity(EngineTerms terms) {
            return this.worker.identity(terms);
        }

        @Override
        public void start(EngineTerms terms, LeaseHolder holder) {
            this.worker.start(terms, holder);
        }

        @Override
        public Duration startTimeout() {
            return this.worker.startTimeout();
        }

        @Override
        public void renewSoon() {
            this.worker.renewSoon();
        }

        @Override
        public ShardedIdException refusal() {
            return this.worker.refusal();
        }

        @Override
        public List<WorkerHolding> workers() {
            return this.worker.workers();
        }

        @Override
        public void close() {
            this.worker.close();
        }

    }

}
