package io.shardedid.spring.aot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import com.zaxxer.hikari.HikariConfig;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIds;
import io.shardedid.hibernate.ShardedIdValueGenerator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.FieldHint;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

class ShardedIdRuntimeHintsTest {

    private final RuntimeHints hints = new RuntimeHints();

    /** As Spring's AOT processing finds them. */
    @BeforeEach
    void register() {
        SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
            .load(RuntimeHintsRegistrar.class)
            .stream()
            .filter((registrar) -> registrar.getClass().getName().startsWith("io.shardedid."))
            .forEach((registrar) -> registrar.registerHints(this.hints, getClass().getClassLoader()));
    }

    @Test
    void eachScriptOfTheGeneratorIsInTheImage() throws IOException {
        List<String> scripts = Arrays
            .stream(new PathMatchingResourcePatternResolver().getResources("classpath*:io/shardedid/**/*.sql"))
            .map(ShardedIdRuntimeHintsTest::path)
            .toList();

        assertThat(scripts).hasSizeGreaterThanOrEqualTo(5)
            .allSatisfy((script) -> assertThat(RuntimeHintsPredicates.resource().forResource(script))
                .as("script '%s'", script)
                .accepts(this.hints));
    }

    @Test
    void whatHibernateFindsAsAServiceCanBeMade() throws IOException, ClassNotFoundException {
        Resource[] services = Arrays
            .stream(new PathMatchingResourcePatternResolver()
                .getResources("classpath*:META-INF/services/org.hibernate.*"))
            .filter(ShardedIdRuntimeHintsTest::isOurs)
            .toArray(Resource[]::new);

        assertThat(services).isNotEmpty();
        for (Resource service : services) {
            assertThat(RuntimeHintsPredicates.resource().forResource("META-INF/services/" + service.getFilename()))
                .as("service '%s'", service)
                .accepts(this.hints);
            for (String name : service.getContentAsString(StandardCharsets.UTF_8).strip().split("\\s+")) {
                assertMadeByReflection(name);
            }
        }
    }

    @Test
    void generatorOfTheAnnotationCanBeMade() throws ClassNotFoundException {
        assertMadeByReflection(ShardedIdValueGenerator.class.getName());
    }

    @Test
    void attributesOfTheAnnotationCanBeRead() {
        assertThat(ShardedId.class.getDeclaredMethods()).isNotEmpty()
            .allSatisfy(
                    (Method attribute) -> assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(attribute))
                        .accepts(this.hints));
    }

    /** A twin without the settings of its pool would connect elsewhere, or not at all. */
    @Test
    void poolCanBeCopied() {
        Set<String> copied = Arrays.stream(HikariConfig.class.getDeclaredFields())
            .filter((field) -> !Modifier.isFinal(field.getModifiers()))
            .map(Field::getName)
            .collect(Collectors.toSet());

        assertThat(copied).contains("jdbcUrl");
        assertThat(this.hints.reflection().getTypeHint(HikariConfig.class).fields()).extracting(FieldHint::getName)
            .containsAll(copied);
    }

    private void assertMadeByReflection(String name) throws ClassNotFoundException {
        Class<?> type = ClassUtils.forName(name, getClass().getClassLoader());
        assertThat(RuntimeHintsPredicates.reflection()
            .onType(type)
            .withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS)).as("class '%s'", name)
            .accepts(this.hints);
    }

    /** Beside the classes of the generator, in a folder or a jar. */
    private static boolean isOurs(Resource resource) {
        URL here = ShardedIds.class.getProtectionDomain().getCodeSource().getLocation();
        try {
            return resource.getURL().toString().contains(here.getPath());
        }
        catch (IOException ex) {
            return false;
        }
    }

    private static String path(Resource resource) {
        try {
            String url = resource.getURL().toString();
            return url.substring(url.lastIndexOf("io/shardedid/"));
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

}
