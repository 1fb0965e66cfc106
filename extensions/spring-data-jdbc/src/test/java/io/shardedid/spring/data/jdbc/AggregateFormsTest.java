package io.shardedid.spring.data.jdbc;

import java.util.Map;

import io.shardedid.PublicId;
import io.shardedid.PublicIdForm;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.config.ShardedIdSettings;
import io.shardedid.test.TestWorker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.data.annotation.Id;
import org.springframework.data.jdbc.core.mapping.JdbcMappingContext;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Forms of ids that aggregates of Spring Data JDBC cannot have outside the database. */
class AggregateFormsTest {

    private static final String KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    private final ShardedIdEngine ids = ShardedIds.builder().workers(TestWorker.of(6)).open();

    private final JdbcMappingContext mapping = new JdbcMappingContext();

    @AfterEach
    void close() {
        this.ids.close();
    }

    @Test
    void refusesToSealWithoutAKey() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> start(Map.of(), Photo.class))
            .withMessageStartingWith("Ids of '" + Photo.class.getName()
                    + "' are sealed, and no key is set: shardedid.sealing.keys=null");
    }

    @Test
    void refusesNumbersInJsonWhereIdsAreSealed() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(
                () -> start(Map.of("shardedid.sealing.keys", KEY, "shardedid.json.as-string", "false"), Photo.class))
            .withMessage("'shardedid.json.as-string' must not be false where ids have another form than decimal: "
                    + "shardedid.json.as-string=false, entity='" + Photo.class.getName() + "'; remove the key");
    }

    @Test
    void refusesToSealAText() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> start(Map.of("shardedid.sealing.keys", KEY), Text.class))
            .withMessageStartingWith("Attribute 'id' of '" + Text.class.getName() + "' cannot be sealed: type=");
    }

    @Test
    void refusesTwoAggregatesWithOneTag() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> start(Map.of("shardedid.sealing.keys", KEY), Photo.class, Other.Photo.class))
            .withMessageContaining("sealed with the same tag: tag='Photo'");
    }

    @Test
    void refusesTheSecondOneAtItsFirstSaveIfItIsKnownNoSooner() {
        AggregateIdCallback callback = start(Map.of("shardedid.sealing.keys", KEY), Photo.class);
        this.mapping.getRequiredPersistentEntity(Other.Photo.class);

        for (int attempt = 0; attempt < 2; attempt++) {
            assertThatExceptionOfType(ShardedIdConfigurationException.class)
                .isThrownBy(() -> callback.onBeforeConvert(new Other.Photo()))
                .withMessageContaining("sealed with the same tag: tag='Photo'");
        }
    }

    @Test
    void takesAggregatesOfSeveralForms() {
        assertThatCode(() -> start(Map.of("shardedid.sealing.keys", KEY), Photo.class, Plain.class))
            .doesNotThrowAnyException();
    }

    private AggregateIdCallback start(Map<String, String> settings, Class<?>... entities) {
        StaticListableBeanFactory beans = new StaticListableBeanFactory(
                Map.of("ids", this.ids, "mapping", this.mapping, "settings", ShardedIdSettings.from(settings)));
        for (Class<?> entity : entities) {
            this.mapping.getRequiredPersistentEntity(entity);
        }
        AggregateIdCallback callback = new AggregateIdCallback(beans.getBeanProvider(ShardedIds.class),
                beans.getBeanProvider(ShardedIdSettings.class), beans.getBeanProvider(JdbcMappingContext.class));
        callback.afterSingletonsInstantiated();
        return callback;
    }

    @PublicId(form = PublicIdForm.SEALED)
    static class Photo {

        @Id
        @ShardedId
        Long id;

    }

    static class Plain {

        @Id
        @ShardedId
        String id;

    }

    @PublicId(form = PublicIdForm.SEALED)
    static class Text {

        @Id
        @ShardedId
        String id;

    }

    static class Other {

        @PublicId(form = PublicIdForm.SEALED)
        static class Photo {

            @Id
            @ShardedId
            Long id;

        }

    }

}
