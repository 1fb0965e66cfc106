package io.shardedid.spring.boot;

import java.util.stream.Stream;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.util.ClassUtils;

/** Finds auto-configurations that only their own package can name. */
public final class OurConfigurations {

    private OurConfigurations() {
    }

    /**
     * Returns auto-configurations.
     * @param simpleNames the names of their classes without the package
     * @return the classes that Spring Boot finds by itself
     */
    public static AutoConfigurations named(String... simpleNames) {
        return AutoConfigurations.of(Stream.of(simpleNames).map(OurConfigurations::type).toArray(Class<?>[]::new));
    }

    private static Class<?> type(String simpleName) {
        String found = ImportCandidates.load(AutoConfiguration.class, null)
            .getCandidates()
            .stream()
            .filter((name) -> name.startsWith("io.shardedid.") && name.endsWith("." + simpleName))
            .findAny()
            .orElseThrow(() -> new IllegalArgumentException(simpleName));
        return ClassUtils.resolveClassName(found, null);
    }

}
