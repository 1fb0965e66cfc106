package io.shardedid.spring.data.jdbc;

import java.util.List;
import java.util.Map;

import io.shardedid.IdLayout;
import io.shardedid.IdStrategy;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.config.ShardedIdSettings;
import io.shardedid.test.TestWorker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.data.annotation.Id;
import org.springframework.data.jdbc.core.mapping.AggregateReference;
import org.springframework.data.jdbc.core.mapping.JdbcMappingContext;
import org.springframework.data.relational.core.mapping.Embedded;
import org.springframework.data.relational.core.mapping.Embedded.OnEmpty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** What Spring Data JDBC cannot do is refused, when the application starts. */
class AggregateMappingsTest {

    private final ShardedIdEngine ids = ShardedIds.builder().workers(TestWorker.of(6)).open();

    @AfterEach
    void close() {
        this.ids.close();
    }

    static List<Arguments> refusals() {
        return List.of(arguments(PublicId.class,
                "'@ShardedId' on '%s.publicId' must be on the identifier with Spring Data JDBC; annotate it with "
                        + "'org.springframework.data.annotation.Id', or set the attribute yourself by "
                        + "ids.nextFor(key)"),
                arguments(WrongType.class,
                        "'@ShardedId' on '%s.id' cannot be on this type with Spring Data JDBC: type=java.lang.Integer "
                                + "(supported: long, Long, String); change the type"),
                arguments(ByDatabase.class,
                        "'@ShardedId' on '%s.id' has no effect with Spring Data JDBC: strategy=DATABASE (it reads back "
                                + "the id that a trigger makes without being told); leave '@ShardedId' out here, or use "
                                + "strategy APPLICATION"),
                arguments(OptionalNothing.class,
                        "'@ShardedId' on '%s.id' has no key that could be optional: optionalKey=true, shardKey=\"\", "
                                + "colocateWith=\"\"; name the key, or leave 'optionalKey' out"),
                arguments(Both.class,
                        "'@ShardedId' on '%s.id' has both shardKey=\"a\" and colocateWith=\"a\" (one of them at most); keep "
                                + "'colocateWith' if the scalar holds a sharded id, else 'shardKey'"),
                arguments(Misspelled.class,
                        "Entity '%s' has no attribute 'userID' named by '@ShardedId(shardKey)' on 'id' (attributes: "
                                + "'id', 'userId')"),
                arguments(Itself.class,
                        "Shard key 'id' of '@ShardedId' on '%s.id' is the generated attribute itself; name another "
                                + "attribute, or none, so that the generator chooses the shard"),
                arguments(WholePlace.class,
                        "Shard key 'place' of '@ShardedId' on '%s.id' is an embedded object; name one of its attributes: "
                                + "'region'"),
                arguments(Many.class,
                        "Shard key 'tags' of '@ShardedId' on '%s.id' is no single value of the row; name an attribute with "
                                + "one value"),
                arguments(Below.class,
                        "Shard key 'userId.name' of '@ShardedId' on '%s.id' goes on below a plain value: 'userId' has no "
                                + "attribute 'name'; end the path at 'userId'"),
                arguments(OptionalPrimitive.class,
                        "Shard key 'userId' of '@ShardedId' on '%s.id' cannot be optional, since a primitive is never "
                                + "null: optionalKey=true, type=long; declare it as Long, or leave 'optionalKey' out"),
                arguments(UnknownKey.class,
                        "Shard key 'weight' of '@ShardedId' on '%s.id' cannot be a shard key: type=java.lang.Double (shard "
                                + "function 'modulo' knows integer types, String, UUID and enums); name another attribute, "
                                + "or set 'shardedid.shard-function' to a function that knows this type"),
                arguments(ColocatedReference.class,
                        "Attribute 'other' named by 'colocateWith' of '@ShardedId' on '%s.id' must be a scalar that holds a "
                                + "sharded id: 'other' is a reference; use 'shardKey = \"other\"', which takes over the "
                                + "shard too"),
                arguments(ColocatedDouble.class,
                        "Attribute 'weight' named by 'colocateWith' of '@ShardedId' on '%s.id' must lead to a sharded id: "
                                + "type=java.lang.Double (supported: long, Long, String); use 'shardKey' with an "
                                + "attribute that is a plain key"),
                arguments(BeyondReference.class,
                        "Shard key 'other.name' of '@ShardedId' on '%s.id' leads beyond the id of '"
                                + Plain.class.getName() + "', which alone is known without a select; name 'other'"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void refuses(Class<?> entity, String message) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> start(entity))
            .withMessage(message, entity.getName());
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void refusesWhatIsFirstKnownAtTheFirstSave(Class<?> entity, String message) {
        AggregateIdCallback callback = start();
        this.mapping.getRequiredPersistentEntity(entity);

        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> callback.onBeforeConvert(BeanUtils.instantiateClass(entity)))
            .withMessage(message, entity.getName());
    }

    @Test
    void refusesTheAnnotationInsideAnAggregate() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> start(Root.class))
            .withMessage(
                    "'@ShardedId' on '%s.id' would have no effect inside the aggregate of '%s': Spring Data JDBC asks "
                        .formatted(Plain.class.getName(), Middle.class.getName())
                            + "only the aggregate root for its id; leave it out, or make the entity an aggregate of its own and "
                            + "refer to it by 'AggregateReference'");
    }

    @Test
    void lettingAnAggregateReferToAnotherIsFine() {
        assertThatCode(() -> start(Referring.class)).doesNotThrowAnyException();
    }

    @Test
    void refusesAKeyWhereIdsCarryNoShard() {
        try (ShardedIdEngine shardless = ShardedIds.builder()
            .layout(IdLayout.snowflake())
            .workers(TestWorker.of(6))
            .open()) {
            assertThat(shardless.layout().shardBits()).isZero();
            assertThatExceptionOfType(ShardedIdConfigurationException.class)
                .isThrownBy(() -> start(Map.of("ids", shardless), Referring.class))
                .withMessageContaining(
                        "must name no shard key, since ids of this layout carry no shard: shardKey=\"other\"");
        }
    }

    @Test
    void refusesWithoutAnEngine() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> start(Map.of(), Referring.class))
            .withMessage(
                    "Could not choose the engine of Spring Data JDBC: beans of type 'ShardedIds'=0 (one must be there, "
                            + "or be primary, and be a 'ShardedIdEngine'); leave it to the auto-configuration, or mark the one "
                            + "that is meant '@Primary'");
    }

    @Test
    void needsNoEngineWhereThereIsNoAnnotation() {
        assertThatCode(() -> start(Map.of(), Unannotated.class)).doesNotThrowAnyException();
    }

    private final JdbcMappingContext mapping = new JdbcMappingContext();

    private AggregateIdCallback start(Class<?>... entities) {
        return start(Map.of("ids", this.ids), entities);
    }

    private AggregateIdCallback start(Map<String, ShardedIdEngine> engines, Class<?>... entities) {
        StaticListableBeanFactory beans = new StaticListableBeanFactory();
        engines.forEach(beans::addBean);
        beans.addBean("mapping", this.mapping);
        for (Class<?> entity : entities) {
            this.mapping.getRequiredPersistentEntity(entity);
        }
        AggregateIdCallback callback = new AggregateIdCallback(beans.getBeanProvider(ShardedIds.class),
                beans.getBeanProvider(ShardedIdSettings.class), beans.getBeanProvider(JdbcMappingContext.class));
        callback.afterSingletonsInstantiated();
        return callback;
    }

    static class Unannotated {

        @Id
        Long id;

    }

    static class Plain {

        @Id
        @ShardedId
        Long id;

        String name;

    }

    static class Middle {

        @Id
        Long id;

        List<Plain> plains;

    }

    static class Root {

        @Id
        Long id;

        Middle middle;

    }

    static class Referring {

        @Id
        @ShardedId(shardKey = "other")
        Long id;

        AggregateReference<Plain, Long> other;

    }

    static class PublicId {

        @Id
        Long id;

        @ShardedId
        Long publicId;

    }

    static class WrongType {

        @Id
        @ShardedId
        Integer id;

    }

    static class ByDatabase {

        @Id
        @ShardedId(strategy = IdStrategy.DATABASE)
        Long id;

    }

    static class OptionalNothing {

        @Id
        @ShardedId(optionalKey = true)
        Long id;

    }

    static class Both {

        @Id
        @ShardedId(shardKey = "a", colocateWith = "a")
        Long id;

        Long a;

    }

    static class Misspelled {

        @Id
        @ShardedId(shardKey = "userID")
        Long id;

        Long userId;

    }

    static class Itself {

        @Id
        @ShardedId(shardKey = "id")
        Long id;

    }

    static class Place {

        String region;

    }

    static class WholePlace {

        @Id
        @ShardedId(shardKey = "place")
        Long id;

        @Embedded(onEmpty = OnEmpty.USE_NULL)
        Place place;

    }

    static class Many {

        @Id
        @ShardedId(shardKey = "tags")
        Long id;

        List<String> tags;

    }

    static class Below {

        @Id
        @ShardedId(shardKey = "userId.name")
        Long id;

        Long userId;

    }

    static class OptionalPrimitive {

        @Id
        @ShardedId(shardKey = "userId", optionalKey = true)
        Long id;

        long userId;

    }

    static class UnknownKey {

        @Id
        @ShardedId(shardKey = "weight")
        Long id;

        Double weight;

    }

    static class ColocatedReference {

        @Id
        @ShardedId(colocateWith = "other")
        Long id;

        AggregateReference<Plain, Long> other;

    }

    static class ColocatedDouble {

        @Id
        @ShardedId(colocateWith = "weight")
        Long id;

        Double weight;

    }

    static class BeyondReference {

        @Id
        @ShardedId(shardKey = "other.name")
        Long id;

        AggregateReference<Plain, Long> other;

    }

}
