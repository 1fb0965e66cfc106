package io.shardedid.spring.boot;

import java.util.UUID;
import java.util.logging.ConsoleHandler;
import java.util.logging.Handler;
import java.util.logging.Logger;

import io.shardedid.ShardedIds;
import io.shardedid.spring.feed.FeedApplication;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** What the log of a real application hears of the end of its lease. */
@ExtendWith(OutputCaptureExtension.class)
class KeeperLogTest {

    private static final String GIVEN_BACK = "Worker id 0 of namespace 'default' is given back";

    /** A context of another test that is paused still has its bridge. */
    @BeforeEach
    void removeOtherBridges() {
        Logger logger = Logger.getLogger("io.shardedid");
        for (Handler bridge : logger.getHandlers()) {
            logger.removeHandler(bridge);
        }
    }

    private static ConfigurableApplicationContext run() {
        return new SpringApplicationBuilder(FeedApplication.class).web(WebApplicationType.NONE)
            .run("--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                    "--spring.main.banner-mode=off");
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2 })
    void lineOfTheReleaseAppearsOnceForEachApplication(int applications, CapturedOutput output) {
        for (int i = 0; i < applications; i++) {
            run().close();
        }
        assertThat(output.getAll().lines().filter((line) -> line.endsWith(GIVEN_BACK))).hasSize(applications);
    }

    /** Of another logging system, which does not end with the application. */
    @Test
    void handlerThatIsStillThereIsNotAttachedAgain() {
        Handler stays = new ConsoleHandler();
        Handler goes = new ConsoleHandler();
        Logger root = Logger.getLogger("");
        root.addHandler(stays);
        root.addHandler(goes);
        KeeperLog log = new KeeperLog();
        try {
            log.start();
            root.removeHandler(goes);
            log.stop();

            assertThat(Logger.getLogger("io.shardedid").getHandlers()).containsExactly(goes);
            log.start();
            assertThat(Logger.getLogger("io.shardedid").getHandlers()).isEmpty();
            log.stop();
        }
        finally {
            log.destroy();
            root.removeHandler(stays);
            root.removeHandler(goes);
        }
        assertThat(Logger.getLogger("io.shardedid").getHandlers()).isEmpty();
    }

    @Test
    void lineOfTheReleaseBeforeACheckpointAppearsOnce(CapturedOutput output) {
        try (ConfigurableApplicationContext context = run()) {
            context.stop();
            assertThat(output.getAll()).containsOnlyOnce(GIVEN_BACK);
            context.start();
            context.getBean(ShardedIds.class).next(5);
        }
    }

}
