package io.shardedid.jackson;

import java.lang.reflect.Proxy;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIdentityInfo;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.annotation.JsonView;
import com.fasterxml.jackson.annotation.ObjectIdGenerators.PropertyGenerator;
import io.shardedid.ShardedId;
import org.jspecify.annotations.Nullable;

/**
 * The shapes in which a class can hold an id, and what becomes of the id in JSON. Members
 * stand in the order of the alphabet, which is that of one Jackson.
 */
public final class IdShapes {

    /** Beyond 2^53, and no multiple of 8: JavaScript rounds it. */
    public static final long ID = 505_230_721_020_599_299L;

    private IdShapes() {
    }

    /** What is written for an id. */
    public enum Written {

        /** A string. */
        STRING,

        /** A number, and one line of the log names the member. */
        WARNED,

        /** A number, in silence. */
        NUMBER

    }

    /** What is read where the id is. */
    public enum Read {

        /** A string or a number of 64 bits, and nothing else. */
        STRICT,

        /** As strict, and null is read, too. */
        NULLABLE,

        /** What was written, and what Jackson or the class takes beside it. */
        LENIENT,

        /** Nothing, because the class is not there to be read. */
        NOT

    }

    /**
     * A shape.
     *
     * @param name what it is
     * @param value an object of it with {@link #ID}
     * @param json the JSON of it, with a hash in place of each id
     * @param written what each hash becomes
     * @param read what may stand there
     * @param where where the id is, for a refusal, or how the log calls it
     */
    public record Shape(String name, Object value, String json, Written written, Read read, String where) {

        /**
         * Returns what is written.
         * @return JSON
         */
        public String expected() {
            return this.json.replace("#", (this.written == Written.STRING) ? "\"" + ID + "\"" : Long.toString(ID));
        }

        @Override
        public String toString() {
            return this.name;
        }

    }

    /**
     * Returns every shape.
     * @return the shapes
     */
    public static Stream<Shape> all() {
        return Stream.of(strings(), lenient(), numbers()).flatMap((shapes) -> shapes);
    }

    private static Shape strict(String name, Object value, String json, String where) {
        return new Shape(name, value, json, Written.STRING, Read.STRICT, where);
    }

    private static Shape nullable(String name, Object value, String json, String where) {
        return new Shape(name, value, json, Written.STRING, Read.NULLABLE, where);
    }

    private static Shape lenient(String name, Object value, String json) {
        return new Shape(name, value, json, Written.STRING, Read.LENIENT, "");
    }

    private static Shape warned(String name, Object value, String json, String where) {
        return new Shape(name, value, json, Written.WARNED, Read.NOT, where);
    }

    private static Stream<Shape> strings() {
        return Stream.of(nullable("entity, field", new Entity(), "{\"id\":#}", "id"),
                nullable("entity, getter", new OnGetter(), "{\"id\":#}", "id"),
                nullable("entity, public field", new OnPublicField(), "{\"id\":#}", "id"),
                strict("entity, long", new Primitive(), "{\"id\":#}", "id"),
                strict("entity, final field and constructor", new Final(ID), "{\"id\":#}", "id"),
                strict("renamed final field", new Renamed(ID), "{\"photo_id\":#}", "photo_id"),
                nullable("id of an embedded record", new WithEmbedded(new Embedded(ID, 1)), "{\"id\":{\"id\":#,\"part\":1}}",
                        "id.id"),
                nullable("id of a generic superclass", new OfBase(), "{\"id\":#}", "id"),
                nullable("overridden getter", new Overridden(), "{\"id\":#}", "id"),
                nullable("shared id of an entity, marked", new SharedMarked(), "{\"authorId\":#}", "authorId"),
                strict("record", new OfRecord(ID, "a"), "{\"id\":#,\"text\":\"a\"}", "id"),
                nullable("record, Long", new OfLong(ID), "{\"id\":#}", "id"),
                strict("class with a mark on its constructor", new OnConstructor(ID), "{\"id\":#}", "id"),
                nullable("list", new OfList(List.of(ID)), "{\"ids\":[#]}", "ids[0]"),
                nullable("set", new OfSet(new LinkedHashSet<>(List.of(ID))), "{\"ids\":[#]}", "ids[0]"),
                strict("array", new OfArray(new long[] { ID }), "{\"ids\":[#]}", "ids[0]"),
                nullable("array of objects", new OfObjects(new Long[] { ID }), "{\"ids\":[#]}", "ids[0]"),
                nullable("values of a map", new OfMap(Map.of("a", ID)), "{\"ids\":{\"a\":#}}", "ids.a"),
                nullable("optional", new OfOptional(Optional.of(ID)), "{\"id\":#}", "id"),
                nullable("optional long", new OfOptionalLong(OptionalLong.of(ID)), "{\"id\":#}", "id"),
                nullable("atomic", new OfAtomic(new AtomicLong(ID)), "{\"id\":#}", "id"),
                nullable("list of lists", new OfLists(List.of(List.of(ID))), "{\"ids\":[[#]]}", "ids[0][0]"),
                strict("list of arrays", new OfArrays(List.of(new long[] { ID })), "{\"ids\":[[#]]}", "ids[0][0]"),
                nullable("list of optional longs", new OfOptionalLongs(List.of(OptionalLong.of(ID))), "{\"ids\":[#]}",
                        "ids[0]"),
                nullable("three deep", new OfThree(List.of(Map.of("a", Optional.of(ID)))), "{\"ids\":[{\"a\":#}]}",
                        "ids[0].a"),
                nullable("nested entity", new Nested(new Entity()), "{\"photo\":{\"id\":#}}", "photo.id"),
                nullable("list of entities", new NestedList(List.of(new Entity())), "{\"photos\":[{\"id\":#}]}",
                        "photos[0].id"),
                nullable("unwrapped", new Unwrapped(), "{\"id\":#}", "id"),
                nullable("unwrapped with a prefix", new Prefixed(), "{\"shot_id\":#}", "shot_id"),
                strict("static factory", Made.of(ID), "{\"id\":#}", "id"),
                nullable("any-setter", new Any(), "{\"a\":#}", "a"),
                nullable("polymorphic", new Child(), "{\"@type\":\"" + Child.class.getName() + "\",\"id\":#}", "id"),
                nullable("generic record", new OfBox(new Box<>(ID)), "{\"box\":{\"id\":#}}", "box.id"),
                strict("alias", new Aliased(ID), "{\"id\":#}", "id"), strict("view", new Viewed(ID), "{\"id\":#}", "id"),
                nullable("single value for a list", new OfSingle(List.of(ID)), "{\"ids\":[#]}", "ids[0]"),
                strict("not null only", new NotEmpty(ID, new long[0]), "{\"id\":#}", "id"));
    }

    private static Stream<Shape> lenient() {
        return Stream.of(lenient("referred to by the id", Referred.twice(), "[{\"id\":#,\"next\":#}]"),
                lenient("number of any kind", new OfNumber(ID), "{\"id\":#}"),
                lenient("big integer", new OfBigInteger(BigInteger.valueOf(ID)), "{\"id\":#}"),
                lenient("wrapper", new OfWrapper(new Wrapper(ID)), "{\"id\":#}"),
                lenient("map of anything", new OfAnything(Map.of("a", ID)), "{\"ids\":{\"a\":#}}"),
                lenient("anything", new OfObject(ID), "{\"id\":#}"),
                new Shape("iterator", new OfIterator(), "{\"ids\":[#]}", Written.STRING, Read.NOT, ""),
                new Shape("key and value of a map", new OfKeys(Map.of(ID, ID)), "{\"ids\":{\"" + ID + "\":#}}",
                        Written.STRING, Read.NOT, ""),
                new Shape("projection, marked", projection(MarkedView.class), "{\"id\":#}", Written.STRING, Read.NOT, ""));
    }

    private static Stream<Shape> numbers() {
        return Stream.of(warned("record, not marked", new Plain(ID), "{\"id\":#}", "'id' of '" + Plain.class.getName()),
                warned("list, not marked", new PlainList(List.of(ID)), "{\"ids\":[#]}", "'ids' of '"),
                warned("array, not marked", new PlainArray(new long[] { 1, ID }), "{\"ids\":[1,#]}", "'ids' of '"),
                warned("optional, not marked", new PlainOptional(Optional.of(ID)), "{\"id\":#}", "'id' of '"),
                warned("optional long, not marked", new PlainOptionalLong(OptionalLong.of(ID)), "{\"id\":#}", "'id' of '"),
                warned("values of a map, not marked", new PlainMap(Map.of("a", ID)), "{\"ids\":{\"a\":#}}", "'ids' of '"),
                warned("atomic, not marked", new PlainAtomic(new AtomicLong(ID)), "{\"id\":#}", "'id' of '"),
                warned("projection", projection(View.class), "{\"id\":#}", "'id' of '" + View.class.getName()),
                warned("shared id of an entity", new Shared(), "{\"authorId\":#}", "'authorId' of '"),
                warned("key of the shard", new Keyed(), "{\"id\":\"7\",\"userId\":#}", "'userId' of '"),
                warned("mark on the parameter of a setter", new OnParameter(), "{\"id\":#}", "'id' of '"),
                warned("mark inside a wrapper", new OfMarkedInside(new MarkedInside(ID)), "{\"id\":#}", "'id' of '"),
                warned("bare", ID, "#", "a bare value"), warned("bare list", List.of(ID), "[#]", "an element of a list"),
                warned("bare array", new long[] { ID }, "[#]", "an element of a list"),
                warned("bare map", Map.of("a", ID), "{\"a\":#}", "a value of a map"),
                new Shape("own format", new OwnFormat(ID), "{\"id\":#}", Written.NUMBER, Read.NOT, ""),
                new Shape("own format of an entity", new OwnFormatOfEntity(), "{\"id\":#}", Written.NUMBER, Read.NOT, ""),
                new Shape("small number", new Plain(7), "{\"id\":7}", Written.NUMBER, Read.NOT, ""),
                new Shape("what is no id", new Plain(-ID), "{\"id\":-#}", Written.NUMBER, Read.NOT, ""));
    }

    /** As Spring Data makes one. */
    private static Object projection(Class<?> type) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> ID);
    }

    static class Entity {

        @ShardedId(shardKey = "userId")
        private @Nullable Long id = ID;

        public @Nullable Long getId() {
            return this.id;
        }

        public void setId(@Nullable Long id) {
            this.id = id;
        }

    }

    static class OnGetter {

        private @Nullable Long id = ID;

        @ShardedId
        public @Nullable Long getId() {
            return this.id;
        }

        public void setId(@Nullable Long id) {
            this.id = id;
        }

    }

    static class OnPublicField {

        @ShardedId
        public @Nullable Long id = ID;

    }

    static class Primitive {

        @ShardedId
        public long id = ID;

    }

    static class Final {

        @ShardedId
        private final long id;

        @JsonCreator
        Final(@JsonProperty("id") long id) {
            this.id = id;
        }

        public long getId() {
            return this.id;
        }

    }

    record Renamed(@JsonProperty("photo_id") @JsonShardedId long photoId) {
    }

    static class WithEmbedded {

        public @Nullable Embedded id;

        WithEmbedded() {
        }

        WithEmbedded(Embedded id) {
            this.id = id;
        }

    }

    record Embedded(@ShardedId @Nullable Long id, int part) {
    }

    static class Base<I> {

        @ShardedId
        public @Nullable I id;

    }

    static class OfBase extends Base<Long> {

        OfBase() {
            this.id = ID;
        }

    }

    static class Overridden extends OnGetter {

        @Override
        public @Nullable Long getId() {
            return super.getId();
        }

    }

    static class Shared {

        public @Nullable Long authorId = ID;

    }

    static class SharedMarked {

        @JsonShardedId
        public @Nullable Long authorId = ID;

    }

    record OfRecord(@JsonShardedId long id, String text) {
    }

    record OfLong(@JsonShardedId @Nullable Long id) {
    }

    static class OnConstructor {

        private final long id;

        @JsonCreator
        OnConstructor(@JsonProperty("id") @JsonShardedId long id) {
            this.id = id;
        }

        public long getId() {
            return this.id;
        }

    }

    record OfList(@JsonShardedId List<Long> ids) {
    }

    record OfSet(@JsonShardedId Set<Long> ids) {
    }

    record OfArray(@JsonShardedId long[] ids) {
    }

    record OfObjects(@JsonShardedId Long[] ids) {
    }

    record OfMap(@JsonShardedId Map<String, Long> ids) {
    }

    record OfOptional(@JsonShardedId Optional<Long> id) {
    }

    record OfOptionalLong(@JsonShardedId OptionalLong id) {
    }

    record OfAtomic(@JsonShardedId @Nullable AtomicLong id) {
    }

    record OfLists(@JsonShardedId List<List<Long>> ids) {
    }

    record OfArrays(@JsonShardedId List<long[]> ids) {
    }

    record OfOptionalLongs(@JsonShardedId List<OptionalLong> ids) {
    }

    record OfThree(@JsonShardedId List<Map<String, Optional<Long>>> ids) {
    }

    record Nested(Entity photo) {
    }

    record NestedList(List<Entity> photos) {
    }

    static class Unwrapped {

        @JsonUnwrapped
        public Entity photo = new Entity();

    }

    static class Prefixed {

        @JsonUnwrapped(prefix = "shot_")
        public Entity shot = new Entity();

    }

    static final class Made {

        @JsonShardedId
        public final long id;

        private Made(long id) {
            this.id = id;
        }

        @JsonCreator
        static Made of(@JsonProperty("id") @JsonShardedId long id) {
            return new Made(id);
        }

    }

    static class Any {

        private final Map<String, Long> ids = new LinkedHashMap<>(Map.of("a", ID));

        @JsonAnyGetter
        @JsonShardedId
        public Map<String, Long> ids() {
            return this.ids;
        }

        @JsonAnySetter
        @JsonShardedId
        public void set(String name, @Nullable Long id) {
            this.ids.put(name, id);
        }

    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS, property = "@type")
    abstract static class Parent {

    }

    static class Child extends Parent {

        @ShardedId
        public @Nullable Long id = ID;

    }

    record Box<T>(@JsonShardedId @Nullable T id) {
    }

    record OfBox(Box<Long> box) {
    }

    record Aliased(@JsonShardedId @JsonAlias("photo") long id) {
    }

    record Viewed(@JsonShardedId @JsonView(Viewed.class) long id) {
    }

    record OfSingle(
            @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY) @JsonShardedId List<Long> ids) {
    }

    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    record NotEmpty(@JsonShardedId long id, @JsonShardedId long @Nullable [] none) {
    }

    @JsonIdentityInfo(generator = PropertyGenerator.class, property = "id")
    static class Referred {

        @ShardedId
        public @Nullable Long id = ID;

        public @Nullable Referred next;

        static List<Referred> twice() {
            Referred referred = new Referred();
            referred.next = referred;
            return new Several(referred);
        }

    }

    /** Lists have no type to be read by. */
    static class Several extends ArrayList<Referred> {

        private static final long serialVersionUID = 1L;

        Several() {
        }

        Several(Referred one) {
            add(one);
        }

    }

    record OfNumber(@JsonShardedId Number id) {
    }

    record OfBigInteger(@JsonShardedId BigInteger id) {
    }

    record Wrapper(@JsonValue long value) {

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        Wrapper {
        }

    }

    record OfWrapper(@JsonShardedId Wrapper id) {
    }

    record OfAnything(@JsonShardedId Map<String, Object> ids) {
    }

    record OfObject(@JsonShardedId Object id) {
    }

    static class OfIterator {

        @JsonShardedId
        public Iterator<Long> getIds() {
            return List.of(ID).iterator();
        }

    }

    record OfKeys(@JsonShardedId Map<Long, Long> ids) {
    }

    interface MarkedView {

        @JsonShardedId
        long getId();

    }

    interface View {

        long getId();

    }

    record Plain(long id) {
    }

    record PlainList(List<Long> ids) {
    }

    record PlainArray(long[] ids) {
    }

    record PlainOptional(Optional<Long> id) {
    }

    record PlainOptionalLong(OptionalLong id) {
    }

    record PlainMap(Map<String, Long> ids) {
    }

    record PlainAtomic(AtomicLong id) {
    }

    static class Keyed {

        @ShardedId(shardKey = "userId")
        public long id = 7;

        public long userId = ID;

    }

    static class OnParameter {

        private long id = ID;

        public long getId() {
            return this.id;
        }

        public void setId(@JsonShardedId long id) {
            this.id = id;
        }

    }

    static final class MarkedInside {

        @JsonShardedId
        private final long value;

        MarkedInside(long value) {
            this.value = value;
        }

        @JsonValue
        public long value() {
            return this.value;
        }

    }

    record OfMarkedInside(MarkedInside id) {
    }

    record OwnFormat(@JsonShardedId @JsonFormat(shape = JsonFormat.Shape.NUMBER) long id) {
    }

    static class OwnFormatOfEntity {

        @ShardedId
        @JsonFormat(shape = JsonFormat.Shape.NUMBER)
        public long id = ID;

    }

}
