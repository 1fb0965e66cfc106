package io.shardedid.spring.boot;

import java.util.List;

import io.shardedid.ShardedId;
import io.shardedid.ShardedIds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What holds for each auto-configuration of the starter, whatever it configures.
 */
class AutoConfigurationsTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withUserConfiguration(Everything.class)
        .withPropertyValues("shardedid.worker.mode=none", "spring.flyway.enabled=false",
                "spring.liquibase.enabled=false");

    static List<String> ours() {
        return ImportCandidates.load(AutoConfiguration.class, null)
            .getCandidates()
            .stream()
            .filter((name) -> name.startsWith("io.shardedid."))
            .toList();
    }

    @Test
    void theyAreListedOnceAndInOrder() {
        assertThat(ours()).isSorted().doesNotHaveDuplicates().hasSizeGreaterThanOrEqualTo(6);
    }

    @ParameterizedTest
    @MethodSource("ours")
    void eachCanBeExcludedWhileTheOthersStay(String excluded) throws ClassNotFoundException {
        Class<?> type = Class.forName(excluded);

        this.runner.withPropertyValues("spring.autoconfigure.exclude=" + excluded)
            .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(type));
    }

    @Test
    void allBackOffWithoutTheGenerator() {
        this.runner.withClassLoader(new FilteredClassLoader(ShardedIds.class, ShardedId.class)).run((context) -> {
            assertThat(context).hasNotFailed();
            for (String name : ours()) {
                assertThat(context).doesNotHaveBean(name);
            }
        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Everything {

    }

}
