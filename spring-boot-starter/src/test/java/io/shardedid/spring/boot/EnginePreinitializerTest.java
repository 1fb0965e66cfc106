package io.shardedid.spring.boot;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

class EnginePreinitializerTest {

    @Test
    void isFoundBySpringBoot() {
        assertThat(SpringFactoriesLoader.forDefaultResourceLocation().load(BackgroundPreinitializer.class))
            .hasAtLeastOneElementOfType(EnginePreinitializer.class);
    }

    /** Spring Boot hides what goes wrong there, and the start would only be slower. */
    @Test
    void opensAnEngineByDefaults() {
        assertThatCode(() -> new EnginePreinitializer().preinitialize()).doesNotThrowAnyException();
    }

    @Test
    void equalPropertiesHaveOneHash() {
        assertThat(EnginePreinitializer.properties()).isEqualTo(EnginePreinitializer.properties())
            .hasSameHashCodeAs(EnginePreinitializer.properties());
    }

}
