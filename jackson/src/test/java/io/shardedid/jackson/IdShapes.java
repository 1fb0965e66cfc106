package io.shardedid.jackson;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The shapes in which a class can hold an id, and what becomes of the id in JSON. Members
 * stand in the order of the alphabet, which is that of one Jackson.
 */
final class IdShapes {

    /** Beyond 2^53, and no multiple of 8: JavaScript rounds it. */
    static final long ID = 505_230_721_020_599_299L;

    private static final String HEAD = """
            package written;
            import com.fasterxml.jackson.annotation.*;
            import com.fasterxml.jackson.annotation.ObjectIdGenerators.PropertyGenerator;
            import io.shardedid.ShardedId;
            import io.shardedid.jackson.JsonShardedId;
            import java.lang.reflect.Proxy;
            import java.math.BigInteger;
            import java.util.*;
            import java.util.concurrent.atomic.AtomicLong;
            class Values { static final long ID = %sL;
                /** As Spring Data makes one. */
                static Object projection(Class<?> type) {
                    return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
                            (self, method, values) -> ID); }
                public static Object[] all() { return new Object[] { %s }; } }
            """;

    /**
     * A case ends with an arrow, its name, a value, the JSON of the value with a hash in
     * place of the id, and where the id is.
     */
    private static final String STRICT = """
            class Primitive { @ShardedId public long id = Values.ID; }
            -> entity, long | new Primitive() | {"id":#} | id
            class Final { @ShardedId private final long id;
                @JsonCreator Final(@JsonProperty("id") long id) { this.id = id; }
                public long getId() { return this.id; } }
            -> entity, final field and constructor | new Final(ID) | {"id":#} | id
            record Renamed(@JsonProperty("photo_id") @JsonShardedId long photoId) { }
            -> renamed final field | new Renamed(ID) | {"photo_id":#} | photo_id
            record OfRecord(@JsonShardedId long id, String text) { }
            -> record | new OfRecord(ID, "a") | {"id":#,"text":"a"} | id
            class OnConstructor { private final long id;
                @JsonCreator OnConstructor(@JsonProperty("id") @JsonShardedId long id) { this.id = id; }
                public long getId() { return this.id; } }
            -> class with a mark on its constructor | new OnConstructor(ID) | {"id":#} | id
            record OfArray(@JsonShardedId long[] ids) { }
            -> array | new OfArray(new long[] { ID }) | {"ids":[#]} | ids[0]
            record OfArrays(@JsonShardedId List<long[]> ids) { }
            -> list of arrays | new OfArrays(List.of(new long[] { ID })) | {"ids":[[#]]} | ids[0][0]
            class Made { @JsonShardedId public final long id;
                private Made(long id) { this.id = id; }
                @JsonCreator static Made of(@JsonProperty("id") @JsonShardedId long id) { return new Made(id); } }
            -> static factory | Made.of(ID) | {"id":#} | id
            record Aliased(@JsonShardedId @JsonAlias("photo") long id) { }
            -> alias | new Aliased(ID) | {"id":#} | id
            record Viewed(@JsonShardedId @JsonView(Viewed.class) long id) { }
            -> view | new Viewed(ID) | {"id":#} | id
            @JsonInclude(JsonInclude.Include.NON_EMPTY)
            record NotEmpty(@JsonShardedId long id, @JsonShardedId long[] none) { }
            -> not null only | new NotEmpty(ID, new long[0]) | {"id":#} | id
            """;

    private static final String NULLABLE = """
            class Entity { @ShardedId(shardKey = "userId") private Long id = Values.ID;
                public Long getId() { return this.id; }
                public void setId(Long id) { this.id = id; } }
            -> entity, field | new Entity() | {"id":#} | id
            class OnGetter { private Long id = Values.ID;
                @ShardedId public Long getId() { return this.id; }
                public void setId(Long id) { this.id = id; } }
            -> entity, getter | new OnGetter() | {"id":#} | id
            class OnPublicField { @ShardedId public Long id = Values.ID; }
            -> entity, public field | new OnPublicField() | {"id":#} | id
            record Embedded(@ShardedId Long id, int part) { }
            class WithEmbedded { public Embedded id = new Embedded(Values.ID, 1); }
            -> id of an embedded record | new WithEmbedded() | {"id":{"id":#,"part":1}} | id.id
            class Base<I> { @ShardedId public I id; }
            class OfBase extends Base<Long> { { this.id = Values.ID; } }
            -> id of a generic superclass | new OfBase() | {"id":#} | id
            class Overridden extends OnGetter { @Override public Long getId() { return super.getId(); } }
            -> overridden getter | new Overridden() | {"id":#} | id
            class SharedMarked { @JsonShardedId public Long authorId = Values.ID; }
            -> shared id of an entity, marked | new SharedMarked() | {"authorId":#} | authorId
            record OfLong(@JsonShardedId Long id) { }
            -> record, Long | new OfLong(ID) | {"id":#} | id
            record OfList(@JsonShardedId List<Long> ids) { }
            -> list | new OfList(List.of(ID)) | {"ids":[#]} | ids[0]
            record OfSet(@JsonShardedId Set<Long> ids) { }
            -> set | new OfSet(new LinkedHashSet<>(List.of(ID))) | {"ids":[#]} | ids[0]
            record OfObjects(@JsonShardedId Long[] ids) { }
            -> array of objects | new OfObjects(new Long[] { ID }) | {"ids":[#]} | ids[0]
            record OfMap(@JsonShardedId Map<String, Long> ids) { }
            -> values of a map | new OfMap(Map.of("a", ID)) | {"ids":{"a":#}} | ids.a
            record OfOptional(@JsonShardedId Optional<Long> id) { }
            -> optional | new OfOptional(Optional.of(ID)) | {"id":#} | id
            record OfOptionalLong(@JsonShardedId OptionalLong id) { }
            -> optional long | new OfOptionalLong(OptionalLong.of(ID)) | {"id":#} | id
            record OfAtomic(@JsonShardedId AtomicLong id) { }
            -> atomic | new OfAtomic(new AtomicLong(ID)) | {"id":#} | id
            record OfLists(@JsonShardedId List<List<Long>> ids) { }
            -> list of lists | new OfLists(List.of(List.of(ID))) | {"ids":[[#]]} | ids[0][0]
            record OfOptionalLongs(@JsonShardedId List<OptionalLong> ids) { }
            -> list of optional longs | new OfOptionalLongs(List.of(OptionalLong.of(ID))) | {"ids":[#]} | ids[0]
            record OfThree(@JsonShardedId List<Map<String, Optional<Long>>> ids) { }
            -> three deep | new OfThree(List.of(Map.of("a", Optional.of(ID)))) | {"ids":[{"a":#}]} | ids[0].a
            record Nested(Entity photo) { }
            -> nested entity | new Nested(new Entity()) | {"photo":{"id":#}} | photo.id
            record NestedList(List<Entity> photos) { }
            -> list of entities | new NestedList(List.of(new Entity())) | {"photos":[{"id":#}]} | photos[0].id
            class Unwrapped { @JsonUnwrapped public Entity photo = new Entity(); }
            -> unwrapped | new Unwrapped() | {"id":#} | id
            class Prefixed { @JsonUnwrapped(prefix = "shot_") public Entity shot = new Entity(); }
            -> unwrapped with a prefix | new Prefixed() | {"shot_id":#} | shot_id
            class Any { private final Map<String, Long> ids = new LinkedHashMap<>(Map.of("a", Values.ID));
                @JsonAnyGetter @JsonShardedId public Map<String, Long> ids() { return this.ids; }
                @JsonAnySetter @JsonShardedId public void set(String name, Long id) { this.ids.put(name, id); } }
            -> any-setter | new Any() | {"a":#} | a
            @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "@type")
            @JsonSubTypes(@JsonSubTypes.Type(value = Child.class, name = "child")) abstract class Parent { }
            class Child extends Parent { @ShardedId public Long id = Values.ID; }
            -> polymorphic | new Child() | {"@type":"child","id":#} | id
            record Box<T>(@JsonShardedId T id) { }
            record OfBox(Box<Long> box) { }
            -> generic record | new OfBox(new Box<>(ID)) | {"box":{"id":#}} | box.id
            record OfSingle(@JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
                @JsonShardedId List<Long> ids) { }
            -> single value for a list | new OfSingle(List.of(ID)) | {"ids":[#]} | ids[0]
            """;

    private static final String LENIENT = """
            @JsonIdentityInfo(generator = PropertyGenerator.class, property = "id")
            class Referred { @ShardedId public Long id = Values.ID; public Referred next; }
            /** Lists have no type to be read by. */
            class Several extends ArrayList<Referred> { static Several twice() { Several several = new Several();
                Referred referred = new Referred(); referred.next = referred; several.add(referred); return several; } }
            -> referred to by the id | Several.twice() | [{"id":#,"next":#}]
            record OfNumber(@JsonShardedId Number id) { }
            -> number of any kind | new OfNumber(ID) | {"id":#}
            record OfBigInteger(@JsonShardedId BigInteger id) { }
            -> big integer | new OfBigInteger(BigInteger.valueOf(ID)) | {"id":#}
            record Wrapper(@JsonValue long value) { @JsonCreator(mode = JsonCreator.Mode.DELEGATING) Wrapper { } }
            record OfWrapper(@JsonShardedId Wrapper id) { }
            -> wrapper | new OfWrapper(new Wrapper(ID)) | {"id":#}
            record OfAnything(@JsonShardedId Map<String, Object> ids) { }
            -> map of anything | new OfAnything(Map.of("a", ID)) | {"ids":{"a":#}}
            record OfObject(@JsonShardedId Object id) { }
            -> anything | new OfObject(ID) | {"id":#}
            """;

    private static final String WRITTEN = """
            class OfIterator { @JsonShardedId public Iterator<Long> getIds() { return List.of(Values.ID).iterator(); } }
            -> iterator | new OfIterator() | {"ids":[#]}
            record OfKeys(@JsonShardedId Map<Long, Long> ids) { }
            -> key and value of a map | new OfKeys(Map.of(ID, ID)) | {"ids":{"505230721020599299":#}}
            interface MarkedView { @JsonShardedId long getId(); }
            -> projection, marked | projection(MarkedView.class) | {"id":#}
            """;

    private static final String WARNED = """
            record Plain(long id) { }
            -> record, not marked | new Plain(ID) | {"id":#} | 'id' of 'written.Plain
            record PlainList(List<Long> ids) { }
            -> list, not marked | new PlainList(List.of(ID)) | {"ids":[#]} | 'ids' of '
            record PlainArray(long[] ids) { }
            -> array, not marked | new PlainArray(new long[] { 1, ID }) | {"ids":[1,#]} | 'ids' of '
            record PlainOptional(Optional<Long> id) { }
            -> optional, not marked | new PlainOptional(Optional.of(ID)) | {"id":#} | 'id' of '
            record PlainOptionalLong(OptionalLong id) { }
            -> optional long, not marked | new PlainOptionalLong(OptionalLong.of(ID)) | {"id":#} | 'id' of '
            record PlainMap(Map<String, Long> ids) { }
            -> values of a map, not marked | new PlainMap(Map.of("a", ID)) | {"ids":{"a":#}} | 'ids' of '
            record PlainAtomic(AtomicLong id) { }
            -> atomic, not marked | new PlainAtomic(new AtomicLong(ID)) | {"id":#} | 'id' of '
            interface View { long getId(); }
            -> projection | projection(View.class) | {"id":#} | 'id' of 'written.View
            class Shared { public Long authorId = Values.ID; }
            -> shared id of an entity | new Shared() | {"authorId":#} | 'authorId' of '
            class Keyed { @ShardedId(shardKey = "userId") public long id = 7; public long userId = Values.ID; }
            -> key of the shard | new Keyed() | {"id":"7","userId":#} | 'userId' of '
            class OnParameter { private long id = Values.ID;
                public long getId() { return this.id; }
                public void setId(@JsonShardedId long id) { this.id = id; } }
            -> mark on the parameter of a setter | new OnParameter() | {"id":#} | 'id' of '
            class MarkedInside { @JsonShardedId private final long value = Values.ID;
                @JsonValue public long value() { return this.value; } }
            record OfMarkedInside(MarkedInside id) { }
            -> mark inside a wrapper | new OfMarkedInside(new MarkedInside()) | {"id":#} | 'id' of '
            -> bare | ID | # | a bare value
            -> bare list | List.of(ID) | [#] | an element of a list
            -> bare array | new long[] { ID } | [#] | an element of a list
            -> bare map | Map.of("a", ID) | {"a":#} | a value of a map
            """;

    private static final String NUMBERS = """
            record OwnFormat(@JsonShardedId @JsonFormat(shape = JsonFormat.Shape.NUMBER) long id) { }
            -> own format | new OwnFormat(ID) | {"id":#}
            class OwnFormatOfEntity {
                @ShardedId @JsonFormat(shape = JsonFormat.Shape.NUMBER) public long id = Values.ID; }
            -> own format of an entity | new OwnFormatOfEntity() | {"id":#}
            -> small number | new Plain(7) | {"id":7}
            -> what is no id | new Plain(-ID) | {"id":-#}
            """;

    private IdShapes() {
    }

    /** What is written for an id. */
    enum Written {

        /** A string. */
        STRING,

        /** A number, and one line of the log names the member. */
        WARNED,

        /** A number, in silence. */
        NUMBER

    }

    /** What is read where the id is. */
    enum Read {

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
    record Shape(String name, Object value, String json, Written written, Read read, String where) {

        /** Returns what is written. */
        String expected() {
            return this.json.replace("#", (this.written == Written.STRING) ? "\"" + ID + "\"" : Long.toString(ID));
        }

        @Override
        public String toString() {
            return this.name;
        }

    }

    /**
     * Returns every shape, with the values of classes that are compiled from the tables.
     */
    static Stream<Shape> all() throws IOException, ReflectiveOperationException {
        List<Shape> shapes = new ArrayList<>();
        StringBuilder source = new StringBuilder();
        add(shapes, source, STRICT, Written.STRING, Read.STRICT);
        add(shapes, source, NULLABLE, Written.STRING, Read.NULLABLE);
        add(shapes, source, LENIENT, Written.STRING, Read.LENIENT);
        add(shapes, source, WRITTEN, Written.STRING, Read.NOT);
        add(shapes, source, WARNED, Written.WARNED, Read.NOT);
        add(shapes, source, NUMBERS, Written.NUMBER, Read.NOT);
        Path folder = Files.createTempDirectory(Path.of("target"), "shapes");
        Path file = Files.writeString(folder.resolve("Values.java"),
                HEAD.formatted(ID, String.join(", ", shapes.stream().map((shape) -> (String) shape.value).toList()))
                        + source);
        assertThat(ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-proc:none", "-nowarn", "-d", folder.toString(), file.toString())).isZero();
        Method all = new URLClassLoader(new URL[] { folder.toUri().toURL() }, IdShapes.class.getClassLoader())
            .loadClass("written.Values")
            .getMethod("all");
        all.setAccessible(true);
        Iterator<Object> values = List.of((Object[]) all.invoke(null)).iterator();
        return shapes.stream()
            .map((shape) -> new Shape(shape.name, values.next(), shape.json, shape.written, shape.read, shape.where));
    }

    private static void add(List<Shape> shapes, StringBuilder source, String table, Written written, Read read) {
        for (String line : table.split("\n")) {
            if (line.startsWith("-> ")) {
                String[] parts = line.substring(3).split(" \\| ");
                shapes.add(new Shape(parts[0], parts[1], parts[2], written, read, (parts.length > 3) ? parts[3] : ""));
            }
            else {
                source.append(line).append('\n');
            }
        }
    }

}
