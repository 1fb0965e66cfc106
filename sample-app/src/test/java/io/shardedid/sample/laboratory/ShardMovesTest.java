package io.shardedid.sample.laboratory;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.Properties;
import java.util.concurrent.RejectedExecutionException;
import java.util.logging.Logger;

import io.shardedid.routing.Shards;
import io.shardedid.shards.ShardMap;
import io.shardedid.shards.ShardMovedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/** A move that fails, of which the next one must not suffer. */
class ShardMovesTest {

    private static final ShardMap MAP = ShardMap.parse("0-999: a, 1000-1999: b", 2000);

    private final Shards shards = mock();

    private final Driver driver = new BrokenDriver();

    private ShardMoves moves;

    @BeforeEach
    void moves() throws SQLException {
        DriverManager.registerDriver(this.driver);
        given(this.shards.map()).willReturn(MAP);
        this.moves = new ShardMoves(this.shards, new EventLog(),
                new MockEnvironment().withProperty("shardedid.databases.home", "a")
                    .withProperty("shardedid.databases.a.url", BrokenDriver.URL)
                    .withProperty("shardedid.databases.a.username", "a")
                    .withProperty("shardedid.databases.b.url", BrokenDriver.URL)
                    .withProperty("shardedid.databases.b.username", "b"));
    }

    @AfterEach
    void end() throws Exception {
        this.moves.destroy();
        DriverManager.deregisterDriver(this.driver);
    }

    @Test
    void whoCannotReadTheMapMayTryAgain() {
        given(this.shards.map()).willThrow(new ShardMovedException("The map is old"));
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(this.moves::start).isInstanceOf(ShardMovedException.class);
        }
    }

    @Test
    void nothingRunsWhereItCouldNotBegin() throws InterruptedException {
        this.moves.destroy();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(this.moves::start).isInstanceOf(RejectedExecutionException.class);
            assertThat(this.moves.view().running()).isFalse();
        }
    }

    @Test
    void moveThatFailsForAnyReasonHasFailed() {
        this.moves.start();
        // returns when the move has ended
        this.moves.whileNothingMoves(() -> assertThat(this.moves.view()).satisfies((view) -> {
            assertThat(view.running()).isFalse();
            assertThat(view.step()).isEqualTo("failed");
        }));
    }

    /** Fails in a way that no driver should. */
    private static final class BrokenDriver implements Driver {

        private static final String URL = "jdbc:broken:";

        @Override
        public Connection connect(String url, Properties info) {
            if (url.equals(URL)) {
                throw new IllegalStateException("broken");
            }
            return null;
        }

        @Override
        public boolean acceptsURL(String url) {
            return url.equals(URL);
        }

        @Override
        public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
            return new DriverPropertyInfo[0];
        }

        @Override
        public int getMajorVersion() {
            return 1;
        }

        @Override
        public int getMinorVersion() {
            return 0;
        }

        @Override
        public boolean jdbcCompliant() {
            return false;
        }

        @Override
        public Logger getParentLogger() {
            return Logger.getGlobal();
        }

    }

}
