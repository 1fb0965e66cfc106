package io.shardedid.spring.boot;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.shardedid.ShardedId;
import io.shardedid.ShardedIds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What holds for each auto-configuration of the starter, whatever it configures.
 */
@Tag("slow")
class AutoConfigurationsTest {

    private static final String[] ALL = { "shardedid.worker.lease.acquire=first-use", "spring.flyway.enabled=false",
            "spring.liquibase.enabled=false", "spring.mvc.problemdetails.enabled=true",
            "management.endpoints.web.exposure.include=shardedid" };

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withUserConfiguration(Everything.class)
        .withPropertyValues(ALL);

    static List<String> ours() {
        return ImportCandidates.load(AutoConfiguration.class, null)
            .getCandidates()
            .stream()
            .filter((name) -> name.startsWith("io.shardedid."))
            .toList();
    }

    @Test
    void theyAreListedOnceAndInOrder() {
        assertThat(ours()).doesNotHaveDuplicates()
            // an extension has a list of its own
            .filteredOn((name) -> name.matches("io\\.shardedid\\.spring\\.(?!data\\.jdbc\\.).*"))
            .isSorted();
    }

    /** Else a class is forgotten in the list, or nothing applies it. */
    @Test
    void eachIsInEffectInAnApplicationOfServlets() throws IOException {
        Set<String> inEffect = new TreeSet<>();
        new WebApplicationContextRunner().withUserConfiguration(Everything.class)
            .withPropertyValues(ALL)
            // these need the module of Spring Boot that configures Spring HATEOAS
            .withPropertyValues(
                    "spring.autoconfigure.exclude=org.springdoc.core.configuration.SpringDocDataRestConfiguration,"
                            + "org.springdoc.core.configuration.SpringDocHateoasConfiguration")
            .run((context) -> inEffect.addAll(namesOf(context)));

        // this one is for slices of tests only
        assertThat(inEffect).containsExactlyElementsOf(declared("PredictableIdsAutoConfiguration"));
    }

    private static List<String> namesOf(ApplicationContext context) {
        return Arrays.stream(context.getBeanDefinitionNames())
            .filter((name) -> name.startsWith("io.shardedid.") && name.endsWith("AutoConfiguration"))
            .toList();
    }

    private static Set<String> declared(String... except) throws IOException {
        return Arrays
            .stream(new PathMatchingResourcePatternResolver()
                .getResources("classpath*:io/shardedid/**/*AutoConfiguration.class"))
            .map(Resource::toString)
            .map((file) -> file.substring(file.lastIndexOf("io/shardedid/"), file.lastIndexOf(".class")))
            .map((path) -> path.replace('/', '.'))
            .filter((name) -> Arrays.stream(except).noneMatch((type) -> name.endsWith("." + type)))
            // health exists once for each major version of Spring Boot
            .filter((name) -> !name.endsWith("HealthAutoConfiguration")
                    || name.endsWith(".ShardedIdHealthAutoConfiguration"))
            .collect(Collectors.toCollection(TreeSet::new));
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
