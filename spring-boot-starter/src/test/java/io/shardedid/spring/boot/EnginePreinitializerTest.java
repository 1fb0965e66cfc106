package io.shardedid.spring.boot;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

@ExtendWith(OutputCaptureExtension.class)
class EnginePreinitializerTest {

    @Test
    void isFoundBySpringBoot() {
        assertThat(SpringFactoriesLoader.forDefaultResourceLocation().load(BackgroundPreinitializer.class))
            .hasAtLeastOneElementOfType(EnginePreinitializer.class);
    }

    /** Spring Boot hides what goes wrong there, and the start would only be slower. */
    @Test
    void startsAndClosesWithoutAWord(CapturedOutput output) {
        assertThatCode(() -> new EnginePreinitializer().preinitialize()).doesNotThrowAnyException();

        assertThat(output.toString()).doesNotContain("Sharded ids:", "WARN", "ERROR");
    }

    /** The start of the application says what is wrong with it, once. */
    @Test
    void seesNothingThatTheApplicationSets(CapturedOutput output) {
        System.setProperty("shardedid.shards", "many");
        System.setProperty("shardedid.misspelt", "true");
        try {
            assertThatCode(() -> new EnginePreinitializer().preinitialize()).doesNotThrowAnyException();
        }
        finally {
            System.clearProperty("shardedid.shards");
            System.clearProperty("shardedid.misspelt");
        }

        assertThat(output.toString()).doesNotContain("shardedid.misspelt");
    }

}
