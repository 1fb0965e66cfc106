package io.shardedid.sample;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * Spring Boot says nothing when one of these fails: the start would only be slower.
 */
class EarlyClassesTest {

    @Test
    void isFoundBySpringBoot() {
        assertThat(SpringFactoriesLoader.forDefaultResourceLocation().load(BackgroundPreinitializer.class))
            .hasAtLeastOneElementOfType(EarlyClasses.class);
    }

    @Test
    void readsAndRendersWithoutTheApplication() {
        assertThatCode(() -> new EarlyClasses().preinitialize()).doesNotThrowAnyException();
    }

}
