package io.shardedid.spring.aot;

import java.util.stream.Stream;

import io.shardedid.ShardedId;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.util.ClassUtils;

/**
 * {@link RuntimeHintsRegistrar} for what no code path names: classes that Hibernate makes
 * by reflection, the fields of a pool, the attributes of the annotation, the scripts in
 * the generator's jar, and the names of keys that each module brings. Properties,
 * endpoint and failure analyzers are Spring Boot's to register.
 *
 * <p>
 * A class that {@code shardedid.shard-function} names is the application's to register,
 * or, simpler, to declare as a bean.
 */
final class ShardedIdRuntimeHints implements RuntimeHintsRegistrar {

    private static final String[] MADE_BY_HIBERNATE = { "io.shardedid.hibernate.ShardedIdValueGenerator",
            "io.shardedid.hibernate.ShardedIdServiceContributor", "io.shardedid.hibernate.IdFunctionContributor",
            "io.shardedid.hibernate.ShardedIdIntegrator", "io.shardedid.spring.aot.AotUnits" };

    /** Copies its fields by reflection, when the lease thread makes a twin of a pool. */
    private static final String POOL = "com.zaxxer.hikari.HikariConfig";

    /** Asked by reflection for its settings, because the class moved in Spring 7. */
    private static final String[] SESSION_FACTORY_BEANS = {
            "org.springframework.orm.jpa.hibernate.LocalSessionFactoryBean",
            "org.springframework.orm.hibernate5.LocalSessionFactoryBean" };

    private static final String[] SERVICES = { "org.hibernate.service.spi.ServiceContributor",
            "org.hibernate.boot.model.FunctionContributor", "org.hibernate.integrator.spi.Integrator" };

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        for (String name : MADE_BY_HIBERNATE) {
            hints.reflection()
                .registerType(TypeReference.of(name), MemberCategory.INVOKE_DECLARED_CONSTRUCTORS,
                        MemberCategory.INVOKE_PUBLIC_METHODS);
        }
        hints.reflection().registerType(ShardedId.class, MemberCategory.INVOKE_PUBLIC_METHODS);
        for (String name : SESSION_FACTORY_BEANS) {
            hints.reflection().registerType(TypeReference.of(name), MemberCategory.INVOKE_PUBLIC_METHODS);
        }
        for (String service : SERVICES) {
            hints.resources().registerPattern("META-INF/services/" + service);
        }
        if (ClassUtils.isPresent(POOL, classLoader)) {
            Stream.of(ClassUtils.resolveClassName(POOL, classLoader).getDeclaredFields())
                .forEach(hints.reflection()::registerField);
        }
        hints.resources().registerPattern("META-INF/shardedid/*");
        hints.resources().registerPattern("io/shardedid/lease-table-*.sql");
    }

}
