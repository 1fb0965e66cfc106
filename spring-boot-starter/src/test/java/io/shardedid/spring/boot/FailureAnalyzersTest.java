package io.shardedid.spring.boot;

import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.shardedid.IdRangeExhaustedException;
import io.shardedid.IdsAheadOfClockException;
import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeaseException;
import io.shardedid.hibernate.ShardedIdMappingException;
import io.shardedid.internal.config.LeaseEnvironment;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import org.hibernate.AnnotationException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.OriginTrackedValue;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.type.filter.AssignableTypeFilter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class FailureAnalyzersTest {

    private final StandardEnvironment environment = new StandardEnvironment();

    @Test
    void refusedConfigurationIsReportedWithItsOrigin() {
        set("shardedid.shards", "9000", "class path resource [application.properties] - 3:17");
        set("shardedid.layout.shard-bits", "13", "class path resource [application.properties] - 4:29");

        FailureAnalysis analysis = analyze(new ShardedIdConfigurationException(
                "shards must be in [1, 2048] (shard-bits=11): shardedid.shards=9000", null, "shardedid.shards"));

        assertThat(analysis.getDescription()).contains("[1, 2048]", "shard-bits=11", "shardedid.shards=9000");
        assertThat(analysis.getAction()).isEqualTo("""
                Update your application's configuration. The keys are set here:

                    shardedid.shards=9000 (class path resource [application.properties] - 3:17)""");
    }

    @Test
    void passwordIsNotReported() {
        set("shardedid.worker.lease.password", "secret", "application.properties - 5:1");

        FailureAnalysis analysis = analyze(new ShardedIdConfigurationException(
                "'shardedid.worker.lease.password' must be a text", null, "shardedid.worker.lease.password"));

        assertThat(analysis.getAction())
            .endsWith("shardedid.worker.lease.password=****** (application.properties - 5:1)");
    }

    @Test
    void unknownKeyIsReportedWithTheNearestOne() {
        FailureAnalysis analysis = analyze(
                refusal(Map.of("shardedid.shardz", "9000", "hibernate.shardedid.epoch", "x")));

        assertThat(analysis.getDescription()).contains("hibernate.shardedid.epoch", "shardedid.shardz");
        assertThat(analysis.getAction()).contains("'shardedid.epoch'", "'hibernate.shardedid.epoch'",
                "'shardedid.shards'", "'shardedid.shardz'");
    }

    @Test
    void unknownKeyThatIsLikeNoneIsReportedWithTheKnownOnesLineByLine() {
        FailureAnalysis analysis = analyze(refusal(Map.of("shardedid.enabled", "false")));

        assertThat(analysis.getDescription()).contains("shardedid.enabled", "correct");
        assertThat(analysis.getAction()).contains("Remove", "\n    shardedid.epoch\n")
            .endsWith("\n    shardedid.json.as-string");
    }

    @Test
    void unknownLayoutIsReportedWithAllNames() {
        set("shardedid.layout.preset", "standart", "application.properties - 3:17");

        FailureAnalysis analysis = analyze(refusal(Map.of("shardedid.layout.preset", "standart")));

        assertThat(analysis.getDescription()).contains("shardedid.layout.preset='standart'", "standard, many-shards");
        assertThat(analysis.getAction()).isEqualTo("""
                Update your application's configuration. The keys are set here:

                    shardedid.layout.preset=standart (application.properties - 3:17)""");
    }

    /** A value may have the signs between which messages have their parts. */
    @Test
    void valueThatLooksLikeAWayOutIsNone() {
        set("shardedid.epoch", "2025-01-01; 00:00", "application.properties - 3:17");

        assertThat(analyze(refusal(Map.of("shardedid.epoch", "2025-01-01; 00:00"))).getAction()).isEqualTo("""
                Update your application's configuration. The keys are set here:

                    shardedid.epoch=2025-01-01; 00:00 (application.properties - 3:17)""");
    }

    @Test
    void widthsThatAPresetForbidsAreReportedWithTheirOrigins() {
        set("shardedid.layout.preset", "javascript", "application.properties - 3:17");
        set("shardedid.layout.shard-bits", "15", "application.properties - 4:29");

        assertThat(
                analyze(refusal(Map.of("shardedid.layout.preset", "javascript", "shardedid.layout.shard-bits", "15")))
                    .getAction())
            .isEqualTo("""
                    Lower the widths that are set, or choose another preset. The keys are set here:

                        shardedid.layout.preset=javascript (application.properties - 3:17)
                        shardedid.layout.shard-bits=15 (application.properties - 4:29)""");
    }

    /** A message ends by the way out, which may have an alternative. */
    @Test
    void wayOutOfARefusedConfigurationIsThatOfItsMessage() {
        assertThat(
                analyze(new ShardedIdConfigurationException("a=1; b=2 (rule)", "remove 'a'; or set 'b'")).getAction())
            .isEqualTo("Remove 'a'; or set 'b'.");
    }

    @Test
    void valueThatDoesNotBindIsReportedAsWithoutSpring() {
        set("shardedid.epoch", "2025-01-01", "application.properties - 3:17");

        FailureAnalysis analysis = analyze(unbound());

        assertThat(analysis.getDescription()).contains("shardedid.epoch='2025-01-01'");
        assertThat(analysis.getAction()).isEqualTo("""
                Update your application's configuration. The keys are set here:

                    shardedid.epoch=2025-01-01 (application.properties - 3:17)""");
    }

    @Test
    void numberThatDoesNotBindIsReportedAsWithoutSpring() {
        set("shardedid.shards", "${many}", "application.properties - 3:17");
        set("many", "2k", "application.properties - 4:1");

        assertThat(analyze(unbound()).getDescription()).contains("shardedid.shards='2k'");
    }

    @Test
    void keyWithoutItsGroupIsReportedWithTheWholeKey() {
        FailureAnalysis analysis = analyze(refusal(Map.of("shardedid.preset", "wide")));

        assertThat(analysis.getDescription()).contains("shardedid.preset", "shardedid.layout.preset", "correct");
        assertThat(analysis.getAction()).contains("shardedid.layout.preset");
    }

    @Test
    void valuesOfOthersThatDoNotBindAreLeftAlone() {
        assertThat(analyze(catchThrowableOfType(BindException.class,
                () -> new Binder(new MapConfigurationPropertySource(Map.of("server.port", "x"))).bind("server.port",
                        Integer.class))))
            .isNull();
    }

    @Test
    void durationWithoutAUnitIsReportedAsMilliseconds() {
        set("shardedid.worker.lease.window", "30", "application.properties - 3:17");
        ShardedIdSettings settings = ShardedIdSettings.from(SetKeys.of(this.environment));
        LeaseEnvironment around = new LeaseEnvironment(LeaseConnections.url("jdbc:h2:mem:x", null, null), false, "",
                List.of(), List.of(), false, null);

        FailureAnalysis analysis = analyze(
                catchThrowableOfType(ShardedIdConfigurationException.class, () -> settings.workers(around)));

        assertThat(analysis.getDescription()).contains("shardedid.worker.lease.window=30ms");
        assertThat(analysis.getAction()).isEqualTo("""
                Update your application's configuration. The keys are set here:

                    shardedid.worker.lease.window=30 (application.properties - 3:17); a number without a unit is \
                milliseconds""");
    }

    private static ShardedIdConfigurationException refusal(Map<String, String> keys) {
        return catchThrowableOfType(ShardedIdConfigurationException.class, () -> ShardedIdSettings.from(keys));
    }

    private BindException unbound() {
        return catchThrowableOfType(BindException.class, () -> SetKeys.of(this.environment));
    }

    @Test
    void lackOfWorkerIdsIsReported() {
        FailureAnalysis analysis = analyze(
                new WorkerLeaseException("All 32 worker ids are leased", true, "Stop instances.", null));

        assertThat(analysis.getDescription()).isEqualTo("All 32 worker ids are leased.");
        assertThat(analysis.getAction()).isEqualTo("Stop instances.");
    }

    @Test
    void lackOfALeaseIsReported() {
        FailureAnalysis analysis = analyze(
                new WorkerLeaseException("The lease table cannot be read: connection refused"));

        assertThat(analysis.getDescription()).contains("refused");
        assertThat(analysis.getAction()).contains("shardedid.worker.lease.table");
    }

    @Test
    void refusedMappingIsReported() {
        FailureAnalysis analysis = analyze(
                new ShardedIdMappingException("Entity 'com.acme.Photo' has no attribute 'userID' "
                        + "named by '@ShardedId(shardKey)' on 'id' (attributes: 'caption', 'userId')"));

        assertThat(analysis.getDescription()).contains("com.acme.Photo", "userID");
        assertThat(analysis.getAction()).contains("annotation");
    }

    @Test
    void mappingErrorsOfOthersAreLeftAlone() {
        assertThat(analyze(new AnnotationException("Entity 'com.acme.Photo' has no identifier, and '@ShardedId'")))
            .isNull();
    }

    @Test
    void wayOutIsTheOneOfItsException() {
        assertThat(analyze(new ShardKeyException("x")).getAction()).contains("@PrePersist",
                "shardedid.older-ids-before");
        assertThat(analyze(new ShardKeyException("x", ShardKeyException.Reason.KEY_CHANGED)).getAction())
            .contains("shardedid.on-key-change", "allow");
        assertThat(analyze(new ShardKeyException("x", ShardKeyException.Reason.ID_NOT_OF_ROW)).getAction())
            .contains("ShardedIds.nextFor(shardKey)");
        assertThat(analyze(new IdRangeExhaustedException("x")).getAction()).contains("inspector change");
        assertThat(analyze(new IdsAheadOfClockException("x")).getAction()).contains("shardedid.layout.preset",
                "shardedid.layout.sequence-bits");
        assertThat(analyze(new ShardedIdException("x")).getAction()).contains("nothing");
    }

    @Test
    void eachExceptionHasAnAnalysisWithAWayOutOfItsOwn() throws ReflectiveOperationException {
        ClassPathScanningCandidateComponentProvider exceptions = new ClassPathScanningCandidateComponentProvider(false);
        exceptions.addIncludeFilter(new AssignableTypeFilter(Throwable.class));
        // what is wrong with a request ends no start
        exceptions.addExcludeFilter(new AssignableTypeFilter(IllegalArgumentException.class));
        Map<String, String> actions = new TreeMap<>();
        for (BeanDefinition found : exceptions.findCandidateComponents("io.shardedid")) {
            Class<?> type = Class.forName(found.getBeanClassName());
            if (!Modifier.isPublic(type.getModifiers())) {
                // it reaches no application
                continue;
            }
            FailureAnalysis analysis = analyze((Throwable) type.getConstructor(String.class).newInstance("told"));
            assertThat(analysis).as("analysis of '%s'", type.getName()).isNotNull();
            assertThat(analysis.getDescription()).contains("told");
            if (type.getSuperclass() != ShardedIdConfigurationException.class) {
                // a narrower refusal of the configuration has the way out of all of them
                actions.put(type.getSimpleName(), analysis.getAction());
            }
        }
        assertThat(actions).containsKeys("ShardedIdConfigurationException", "WorkerLeaseException")
            .hasSizeGreaterThanOrEqualTo(6);
        assertThat(actions.values()).doesNotHaveDuplicates();
    }

    private void set(String key, String value, String origin) {
        this.environment.getPropertySources()
            .addFirst(new OriginTrackedMapPropertySource(key,
                    Map.of(key, OriginTrackedValue.of(value, new TextOrigin(origin)))));
    }

    private FailureAnalysis analyze(Throwable cause) {
        Throwable failure = new BeanCreationException("x", "could not be created", cause);
        List<FailureAnalyzer> analyzers = SpringFactoriesLoader.forDefaultResourceLocation()
            .load(FailureAnalyzer.class, SpringFactoriesLoader.ArgumentResolver.of(Environment.class, this.environment),
                    (type, name, ex) -> {
                    });
        return analyzers.stream()
            .filter((analyzer) -> analyzer.getClass().getName().startsWith("io.shardedid."))
            .map((analyzer) -> analyzer.analyze(failure))
            .filter((analysis) -> analysis != null)
            .findFirst()
            .orElse(null);
    }

    private record TextOrigin(String text) implements Origin {

        @Override
        public String toString() {
            return this.text;
        }

    }

}
