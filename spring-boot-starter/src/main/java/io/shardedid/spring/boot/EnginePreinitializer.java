package io.shardedid.spring.boot;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

import io.shardedid.ShardedIds;
import io.shardedid.hibernate.LeaseEnvironment;
import io.shardedid.hibernate.ShardedIdKey;
import io.shardedid.hibernate.ShardedIdSettings;
import io.shardedid.test.TestClock;
import io.shardedid.test.TestWorker;

import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.convert.ConversionService;
import org.springframework.util.ReflectionUtils;

/**
 * Opens and closes an engine that makes no ids, on Spring Boot's thread for what may load
 * early, and looks at the beans as Spring will: so the classes of the starter and of the
 * engine are there when the start of the context comes to them.
 */
final class EnginePreinitializer implements BackgroundPreinitializer {

    private static final List<Class<?>> BEANS = List.of(ShardedIdAutoConfiguration.class,
            ShardedIdAutoConfiguration.EngineConfiguration.class, ShardedIdProperties.class, ShardedIdSettings.class,
            LeaseFigures.class, ShardedIds.class, EngineLifecycle.class, ApplicationLease.class,
            UnknownProperties.class, TestWorker.class, TestClock.class);

    /** Not what makes ids; and each kind of value once, as its reader is looked for. */
    private static final Map<String, String> READS_ONLY = Map.of(ShardedIdKey.WORKER_MODE.externalName(), "none",
            ShardedIdKey.LEASE_INITIALIZE_SCHEMA.externalName(), "never", ShardedIdKey.LEASE_ACQUIRE.externalName(),
            "startup", ShardedIdKey.LEASE_WINDOW.externalName(), "30s", ShardedIdKey.SHARDS.externalName(), "2000",
            ShardedIdKey.EPOCH.externalName(), "2025-01-01T00:00:00Z");

    @Override
    public void preinitialize() {
        ShardedIdSettings settings = ShardedIdSettings.from(properties().toSettings());
        try (ShardedIds ids = settings.openAsync(() -> LeaseEnvironment.UNKNOWN)) {
            ids.awaitOpen();
            EngineReport.summary(ids, settings);
            new EngineLifecycle(ids, settings);
        }
        // keys of Spring's are records: the first comparison makes what all others use
        new HashSet<>(List.of(layout(), layout()));
        for (Class<?> bean : BEANS) {
            for (Method method : ReflectionUtils.getAllDeclaredMethods(bean)) {
                for (Parameter parameter : method.getParameters()) {
                    for (Annotation annotation : parameter.getAnnotations()) {
                        AnnotationUtils.getAnnotationAttributes(annotation);
                    }
                }
            }
        }
    }

    private static ShardedIdProperties.Layout layout() {
        return new ShardedIdProperties.Layout("instagram", 13, null, null);
    }

    /** Of their own, whatever the application sets. */
    static ShardedIdProperties properties() {
        return new Binder(List.of(new MapConfigurationPropertySource(READS_ONLY)), null, (ConversionService) null,
                (editors) -> {
                })
            .bindOrCreate("shardedid", ShardedIdProperties.class);
    }

}
