package io.shardedid.jackson;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIdentityInfo;
import com.fasterxml.jackson.annotation.JsonIdentityReference;
import com.fasterxml.jackson.annotation.JsonKey;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonTypeId;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.annotation.ObjectIdGenerators;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import io.shardedid.PublicId;
import io.shardedid.PublicIdForm;
import io.shardedid.ShardedId;
import io.shardedid.format.PublicIdFormat;
import io.shardedid.format.PublicIdFormats;
import io.shardedid.format.SealingKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * What JSON of ids is in other forms than the number, whichever Jackson reads and writes
 * it.
 */
class IdFormsTest {

    private static final long ID = 2217813737473025833L;

    private static final SealingKeys KEYS = SealingKeys.of("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");

    private static final PublicIdFormats CROCKFORD = PublicIdFormats.of(PublicIdForm.CROCKFORD, KEYS);

    private static final PublicIdFormats SEALED = PublicIdFormats.of(PublicIdForm.SEALED, KEYS);

    private static final String TEXT = "1XHT1V000Z9S9";

    private static final String PHOTO = PublicIdFormat.sealed(KEYS, "Photo").prefixed("pho_").format(ID);

    private static final JsonFormat.Value AS_STRING = JsonFormat.Value.forShape(JsonFormat.Shape.STRING);

    private static final String HERE = IdFormsTest.class.getName() + "$";

    enum Line {

        JACKSON_3 {
            @Override
            String write(Object value, PublicIdFormats formats) throws Exception {
                return JsonMapper.builder()
                    .addModule(new ShardedIdJacksonModule(formats))
                    .build()
                    .writeValueAsString(value);
            }

            @Override
            String writeWithDefaults(Object value, PublicIdFormats formats) throws Exception {
                return withDefaults(formats).writeValueAsString(value);
            }

            @Override
            <T> T readWithDefaults(String json, Class<T> type, PublicIdFormats formats) throws Exception {
                return withDefaults(formats).readValue(json, type);
            }

            private JsonMapper withDefaults(PublicIdFormats formats) {
                return JsonMapper.builder()
                    .withConfigOverride(Long.class, (override) -> override.setFormat(AS_STRING))
                    .withConfigOverride(long.class, (override) -> override.setFormat(AS_STRING))
                    .addModule(new ShardedIdJacksonModule(formats))
                    .build();
            }

            @Override
            <T> T read(String json, Class<T> type, PublicIdFormats formats) throws Exception {
                return JsonMapper.builder()
                    .addModule(new ShardedIdJacksonModule(formats))
                    .build()
                    .readValue(json, type);
            }

            @Override
            <T> T alone(String json, Class<T> type) throws Exception {
                return JsonMapper.builder().findAndAddModules().build().readValue(json, type);
            }
        },

        JACKSON_2 {
            @Override
            String write(Object value, PublicIdFormats formats) throws Exception {
                return mapper(formats).writeValueAsString(value);
            }

            @Override
            String writeWithDefaults(Object value, PublicIdFormats formats) throws Exception {
                return withDefaults(formats).writeValueAsString(value);
            }

            @Override
            <T> T readWithDefaults(String json, Class<T> type, PublicIdFormats formats) throws Exception {
                return withDefaults(formats).readValue(json, type);
            }

            private com.fasterxml.jackson.databind.json.JsonMapper withDefaults(PublicIdFormats formats) {
                com.fasterxml.jackson.databind.json.JsonMapper mapper = mapper(formats);
                mapper.configOverride(Long.class).setFormat(AS_STRING);
                mapper.configOverride(long.class).setFormat(AS_STRING);
                return mapper;
            }

            @Override
            <T> T read(String json, Class<T> type, PublicIdFormats formats) throws Exception {
                return mapper(formats).readValue(json, type);
            }

            @Override
            <T> T alone(String json, Class<T> type) throws Exception {
                return com.fasterxml.jackson.databind.json.JsonMapper.builder()
                    .findAndAddModules()
                    .build()
                    .readValue(json, type);
            }

            private com.fasterxml.jackson.databind.json.JsonMapper mapper(PublicIdFormats formats) {
                return com.fasterxml.jackson.databind.json.JsonMapper.builder()
                    .addModules(new Jdk8Module(), new ShardedIdJackson2Module(formats))
                    .build();
            }
        };

        abstract String write(Object value, PublicIdFormats formats) throws Exception;

        /** Writes with a mapper that has another default for numbers. */
        abstract String writeWithDefaults(Object value, PublicIdFormats formats) throws Exception;

        abstract <T> T readWithDefaults(String json, Class<T> type, PublicIdFormats formats) throws Exception;

        /** Reads with a mapper that finds its modules by itself. */
        abstract <T> T alone(String json, Class<T> type) throws Exception;

        abstract <T> T read(String json, Class<T> type, PublicIdFormats formats) throws Exception;

        <T> T thereAndBack(T value, String json, PublicIdFormats formats) throws Exception {
            JsonMapper mapper = new JsonMapper();
            assertThat(mapper.readTree(write(value, formats))).isEqualTo(mapper.readTree(json));
            @SuppressWarnings("unchecked")
            T read = (T) read(json, value.getClass(), formats);
            return read;
        }

        /** What a client could be told. */
        String refusal(String json, Class<?> type, PublicIdFormats formats) {
            return String.valueOf(catchThrowable(() -> read(json, type, formats)).getMessage());
        }

    }

    @ParameterizedTest
    @EnumSource
    void entitiesHaveTheFormOfAll(Line line) throws Exception {
        Like like = line.thereAndBack(new Like(ID, 7, 3),
                "{\"count\":3,\"id\":\"%s\",\"userId\":\"0000000000007\"}".formatted(TEXT), CROCKFORD);

        assertThat(like.getId()).isEqualTo(ID);
        assertThat(like.getUserId()).isEqualTo(7);
        assertThat(line.read("{\"id\":null}", Like.class, CROCKFORD).getId()).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void entityHasAFormOfItsOwn(Line line) throws Exception {
        Photo photo = new Photo();
        photo.id = ID;
        photo.author = 7L;
        String json = "{\"id\":\"%s\",\"author\":\"usr_0000000000007\",\"album\":\"0000000000005\"}".formatted(PHOTO);

        Photo read = line.thereAndBack(photo, json, CROCKFORD);

        assertThat(read.id).isEqualTo(ID);
        assertThat(read.author).isEqualTo(7);
        assertThat(read.album).isEqualTo(5);
    }

    /** A proxy of Hibernate is a subclass, and so is an entity of a hierarchy. */
    @ParameterizedTest
    @EnumSource
    void subclassOfAnEntityHasItsForm(Line line) throws Exception {
        Photo photo = new Photo() {
        };
        photo.id = ID;
        photo.author = 7L;

        assertThat(line.write(photo, CROCKFORD)).contains("\"id\":\"" + PHOTO + "\"");
    }

    @ParameterizedTest
    @EnumSource
    void recordsThatAreEntitiesHaveThem(Line line) throws Exception {
        Visit visit = new Visit(ID, 7, 3);

        assertThat(line.thereAndBack(visit,
                "{\"id\":\"vis_%s\",\"user\":\"0000000000007\",\"count\":3}".formatted(TEXT), CROCKFORD))
            .isEqualTo(visit);
    }

    @ParameterizedTest
    @EnumSource
    void membersHaveTheFormOfTheEntityThatTheyName(Line line) throws Exception {
        View view = new View(ID, 7L, 5, List.of(List.of(ID)), Map.of(ID, 8L), Optional.of(ID), OptionalLong.of(7),
                new long[] { ID }, 9);
        String json = """
                {"id":"%1$s","author":"usr_0000000000007","any":"0000000000005","rows":[["%1$s"]],
                "likes":{"%1$s":"%2$s"},"after":"%1$s","before":"usr_0000000000007","table":["%1$s"],"views":9}"""
            .formatted(PHOTO, PublicIdFormat.sealed(KEYS, "Photo").prefixed("pho_").format(8));

        View read = line.thereAndBack(view, json, CROCKFORD);

        assertThat(read).usingRecursiveComparison().isEqualTo(view);
    }

    @ParameterizedTest
    @EnumSource
    void refusesTextsOfAnotherKindAndTellsNothing(Line line) {
        String user = PublicIdFormat.sealed(KEYS, "User").format(ID);
        String removed = PublicIdFormat.sealed(SealingKeys.of("EBESExQVFhcYGRobHB0eHw=="), "Photo")
            .prefixed("pho_")
            .format(ID);
        for (String text : List.of("\"\"", "\"" + ID + "\"", Long.toString(ID), "12.5", "true", "[1]",
                "\"usr_" + PHOTO.substring(4) + "\"", "\"pho_" + user + "\"", "\"" + removed + "\"",
                "\"" + PHOTO + "A\"", "\"" + PHOTO.substring(0, 25) + "\"",
                "\"" + PHOTO.toUpperCase(Locale.ROOT) + "\"")) {
            assertThat(line.refusal("{\"id\":" + text + "}", Photo.class, CROCKFORD)).as(text)
                .contains("an id must be a text as it was given out")
                .doesNotContain("seal", "tag", "key", "characters");
            assertThat(line.refusal("{\"likes\":{\"x\":1}}", View.class, CROCKFORD))
                .contains("an id must be a text as it was given out");
        }
    }

    @ParameterizedTest
    @EnumSource
    void readsLookAlikes(Line line) throws Exception {
        assertThat(line.read("{\"id\":\"1xhtlvoooz9s9\"}", Like.class, CROCKFORD).getId()).isEqualTo(ID);
    }

    @ParameterizedTest
    @EnumSource
    void newKeySealsAndOldKeyOpens(Line line) throws Exception {
        PublicIdFormats rotated = PublicIdFormats.of(PublicIdForm.DECIMAL, SealingKeys
            .of("EBESExQVFhcYGRobHB0eHxAREhMUFRYXGBkaGxwdHh8=", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="));

        Photo photo = line.read("{\"id\":\"" + PHOTO + "\"}", Photo.class, rotated);
        assertThat(photo.id).isEqualTo(ID);
        String now = line.write(photo, rotated);
        assertThat(now).doesNotContain(PHOTO);
        assertThat(line.read(now, Photo.class, rotated).id).isEqualTo(ID);
    }

    /** It would otherwise show what the id of the row hides. */
    @ParameterizedTest
    @EnumSource
    void refusesToSealAnIdOfWhichNobodySaysWhoseItIs(Line line) {
        String needed = ": A sealed id needs its entity: shardedid.form=sealed, entity=null (its name is sealed with the "
                + "id); name it, as in '@JsonShardedId(Photo.class)'";

        assertThatThrownBy(() -> line.write(new Like(ID, 7, 3), SEALED)).hasMessageContaining(
                "Could not choose the form of attribute 'userId' of '" + Like.class.getName() + "'" + needed);
        assertThatThrownBy(() -> line.read("{}", Like.class, SEALED)).hasMessageContaining(needed);
        assertThatThrownBy(() -> line.write(new Nameless(ID), SEALED))
            .hasMessageContaining("Could not choose the form of attribute 'id' of '" + HERE + "Nameless'" + needed);
        assertThatThrownBy(() -> line.read("{}", Nameless.class, SEALED)).hasMessageContaining(needed);
    }

    @ParameterizedTest
    @EnumSource
    void refusesToSealWithoutAKey(Line line) {
        String refused = "Could not choose the form of attribute 'id' of '" + HERE + "Photo': Ids of '" + HERE
                + "Photo' are sealed, and no key is set: shardedid.sealing.keys=null (at least 1)";

        assertThatThrownBy(() -> line.write(new Photo(), new PublicIdFormats())).hasMessageContaining(refused);
        assertThatThrownBy(() -> line.read("{}", Photo.class, new PublicIdFormats())).hasMessageContaining(refused);
    }

    @ParameterizedTest
    @EnumSource
    void wrappersAreWrittenInTheFormAndReadAsNumbersOnly(Line line) throws Exception {
        assertThat(line.write(new Wrapped(new PictureId(ID)), CROCKFORD)).isEqualTo("{\"id\":\"" + TEXT + "\"}");
        assertThat(line.refusal("{}", Wrapped.class, CROCKFORD)).contains("Could not find the ids of attribute 'id'");
        assertThat(line.read("{\"id\":\"5\"}", Wrapped.class, new PublicIdFormats()))
            .isEqualTo(new Wrapped(new PictureId(5)));
    }

    /** Jackson writes and reads such a class past every attribute. */
    @ParameterizedTest
    @EnumSource
    void refusesThatAnIdStandsForItsClass(Line line) {
        for (Object value : List.of(new AsValue(ID), new SealedValue(), Map.of(new AsKey(), 1), new AsType())) {
            Class<?> bean = (value instanceof Map<?, ?>) ? AsKey.class : value.getClass();
            assertThatThrownBy(() -> line.write(value, CROCKFORD)).as(bean.getSimpleName())
                .hasMessageContaining("' stand for '" + bean.getName() + "': form=sealed");
        }
        assertThatThrownBy(() -> line.read("" + ID, Delegating.class, CROCKFORD))
            .hasMessageContaining("Could not see the ids of '" + Delegating.class.getName()
                    + "': '@JsonShardedId' stands on the constructor");
    }

    /** The mark says the same to mappers without the module. */
    @ParameterizedTest
    @EnumSource
    void sealsWhatAnAnnotationWantsAsAString(Line line) throws Exception {
        assertThat(line.write(new MemberAsString(ID), CROCKFORD)).isEqualTo("{\"id\":\"" + PHOTO + "\"}");
    }

    /** They are what people keep JavaScript from rounding with, and would open the id. */
    @ParameterizedTest
    @EnumSource
    void refusesAnnotationsThatWouldWriteTheNumber(Line line) {
        Map<Object, String> forms = Map.of(new OwnFormat(), "id", new OwnSerializer(), "id", new OwnSerializer2(), "id",
                new OwnKey(), "author", new MemberWithFormat(ID), "id", new MembersWithSerializer(List.of(ID)), "ids",
                new MembersWithSerializer2(List.of(ID)), "ids");

        forms.forEach((value, attribute) -> {
            boolean ofTheOther = value.getClass().getSimpleName().endsWith("2") != (line == Line.JACKSON_2)
                    && value.getClass().getSimpleName().contains("Serializer");
            if (ofTheOther) {
                assertThatCode(() -> assertThat(line.write(value, CROCKFORD)).doesNotContain("" + ID))
                    .doesNotThrowAnyException();
                return;
            }
            assertThatThrownBy(() -> line.write(value, CROCKFORD)).hasMessageContaining(
                    "Could not give attribute '%s' of '%s' the form of its ids: form=sealed with prefix "
                            + "'%s' (an annotation of Jackson on it says how it is written or read, and the number would pass); "
                            + "remove '@JsonFormat', '@JsonSerialize' or '@JsonDeserialize' there",
                    attribute, value.getClass().getName(), "pho_");
        });
        assertThatThrownBy(() -> line.read("{\"id\":5}", OwnFormat.class, CROCKFORD))
            .hasMessageContaining("Could not give attribute 'id' of '" + OwnFormat.class.getName() + "'");
        assertThatThrownBy(() -> line.read("{\"id\":5}", MemberWithFormat.class, CROCKFORD))
            .hasMessageContaining("Could not give attribute 'id' of '" + MemberWithFormat.class.getName() + "'");
    }

    /** {@code withConfigOverride(Long.class, …)} */
    @ParameterizedTest
    @EnumSource
    void defaultsOfTheMapperOpenNothing(Line line) throws Exception {
        Photo photo = new Photo();
        photo.id = ID;
        photo.author = 7L;

        assertThat(line.writeWithDefaults(photo, CROCKFORD)).contains("\"id\":\"" + PHOTO + "\"");
        assertThat(line.writeWithDefaults(new Link2(ID, Map.entry(ID, ID)), CROCKFORD))
            .isEqualTo("{\"id\":\"%1$s\",\"entry\":{\"%1$s\":\"%1$s\"}}".formatted(PHOTO));
        assertThat(line.readWithDefaults("{\"id\":\"" + PHOTO + "\"}", Photo.class, CROCKFORD).id).isEqualTo(ID);
        assertThatThrownBy(() -> line.readWithDefaults("{\"id\":" + ID + "}", Photo.class, CROCKFORD))
            .hasMessageContaining("an id must be a text as it was given out");
    }

    @ParameterizedTest
    @EnumSource
    void entriesHaveTheForm(Line line) throws Exception {
        assertThat(line.write(new Link2(ID, Map.entry(ID, ID)), CROCKFORD))
            .isEqualTo("{\"id\":\"%1$s\",\"entry\":{\"%1$s\":\"%1$s\"}}".formatted(PHOTO));
    }

    record Link2(@JsonShardedId(Photo.class) long id, @JsonShardedId(Photo.class) Map.Entry<Long, Long> entry) {
    }

    @ParameterizedTest
    @EnumSource
    void refusesAMarkOnTheParameterOfAMethod(Line line) {
        assertThatThrownBy(() -> line.read("{\"id\":5}", MarkedParameter.class, new PublicIdFormats()))
            .hasMessageContaining("Could not read the ids of attribute 'id' of '" + MarkedParameter.class.getName()
                    + "': '@JsonShardedId' stands on the parameter of a method (Jackson looks at methods, fields and "
                    + "constructors); put it on the method");
    }

    @ParameterizedTest
    @EnumSource
    void refusesAMarkOnTheConstructorOfASuperclass(Line line) throws Exception {
        assertThatThrownBy(() -> line.write(new Leaf(ID), CROCKFORD)).hasMessageContaining("Could not see the ids of '"
                + Leaf.class.getName() + "': '@JsonShardedId' stands on the constructor of '" + Base.class.getName()
                + "' (Jackson does not look there); put it on the field or the getter, in Kotlin '@get:JsonShardedId'");
        assertThat(line.write(new SeenLeaf(ID), CROCKFORD)).isEqualTo("{\"id\":\"" + PHOTO + "\"}");
    }

    /** Jackson would take any number for the row of that number. */
    @ParameterizedTest
    @EnumSource
    void refusesAConstructorThatReadsABareNumber(Line line) throws Exception {
        assertThatThrownBy(() -> line.read("" + ID, FromNumber.class, CROCKFORD))
            .hasMessageContaining("Could not read '%s' from objects alone: form=".formatted(FromNumber.class.getName()))
            .hasMessageContaining("put '@JsonCreator(mode = DISABLED)' on that constructor");
        assertThatThrownBy(() -> line.read("" + ID, ImmutableFromNumber.class, CROCKFORD)).hasMessageContaining(
                "Could not read '%s' from objects alone".formatted(ImmutableFromNumber.class.getName()));
        assertThatThrownBy(() -> line.read("" + ID, FromNumberDisabled.class, CROCKFORD))
            .hasMessageNotContaining("from objects alone");
        String text = PublicIdFormat.sealed(KEYS, "FromNumberDisabled").prefixed("pho_").format(ID);
        assertThat(line.read("{\"id\":\"" + text + "\"}", FromNumberDisabled.class, CROCKFORD).id).isEqualTo(ID);
    }

    /**
     * Jackson 3 leaves final fields out where a constructor sets them, as Jackson 2 may.
     */
    @ParameterizedTest
    @EnumSource
    void readsWhatAConstructorSets(Line line) throws Exception {
        String row = PublicIdFormat.sealed(KEYS, "Immutable").prefixed("pho_").format(ID);

        assertThat(line.read("{\"id\":\"" + row + "\"}", Immutable.class, CROCKFORD).id).isEqualTo(ID);
        assertThat(line.read("{\"id\":\"" + PHOTO + "\"}", ImmutableView.class, CROCKFORD).id).isEqualTo(ID);
        for (Class<?> type : List.of(Immutable.class, ImmutableView.class)) {
            assertThatThrownBy(() -> line.read("{\"id\":" + ID + "}", type, CROCKFORD))
                .hasMessageContaining("an id must be a text as it was given out");
        }
    }

    @PublicId(prefix = "pho_", form = PublicIdForm.SEALED)
    static class Immutable {

        @ShardedId
        private final Long id;

        @JsonCreator
        Immutable(@JsonProperty("id") Long id) {
            this.id = id;
        }

    }

    @PublicId(prefix = "pho_", form = PublicIdForm.SEALED)
    static class ImmutableFromNumber {

        @ShardedId
        private final Long id;

        public ImmutableFromNumber(long userId) {
            this(ID, "river");
        }

        @JsonCreator
        ImmutableFromNumber(@JsonProperty("id") Long id, @JsonProperty("caption") String caption) {
            this.id = id;
        }

    }

    static class ImmutableView {

        @JsonShardedId(Photo.class)
        private final long id;

        @JsonCreator
        ImmutableView(@JsonProperty("id") long id) {
            this.id = id;
        }

    }

    /** The type that JSON names reads itself. */
    @ParameterizedTest
    @EnumSource
    void refusesAFormForValuesThatNameTheirType(Line line) {
        assertThatThrownBy(() -> line.read("{\"id\":[\"java.lang.Long\"," + ID + "]}", Named.class, CROCKFORD))
            .hasMessageContaining("'@JsonShardedId' fits 'long', 'Long'");
    }

    @PublicId(prefix = "pho_", form = PublicIdForm.SEALED)
    static class FromNumber {

        @ShardedId
        public Long id = ID;

        FromNumber() {
        }

        public FromNumber(long userId) {
        }

    }

    @PublicId(prefix = "pho_", form = PublicIdForm.SEALED)
    static class FromNumberDisabled {

        @ShardedId
        public Long id;

        FromNumberDisabled() {
        }

        @JsonCreator(mode = JsonCreator.Mode.DISABLED)
        public FromNumberDisabled(long userId) {
        }

    }

    static class Named {

        @JsonShardedId(Photo.class)
        @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS, include = JsonTypeInfo.As.WRAPPER_ARRAY)
        public Number id;

    }

    /** Jackson 2 without the module for the names of parameters. */
    @Test
    void refusesAMarkOnAConstructorWhoseParametersHaveNoNames() {
        assertThatThrownBy(() -> new com.fasterxml.jackson.databind.ObjectMapper()
            .registerModule(
                    new ShardedIdJackson2Module((type, arguments) -> Map.of(), UnmarkedNumbers.asTheyAre(), CROCKFORD))
            .writeValueAsString(new Unnamed(ID)))
            .hasMessageContaining("Could not see the ids of '" + Unnamed.class.getName());
    }

    static class Unnamed {

        private final long id;

        Unnamed(@JsonShardedId(Photo.class) long id) {
            this.id = id;
        }

        public long getId() {
            return this.id;
        }

    }

    static class Base {

        @JsonShardedId
        public long other;

        public final long id;

        Base(@JsonShardedId(Photo.class) long id) {
            this.id = id;
        }

    }

    static class Leaf extends Base {

        Leaf(long id) {
            super(id);
        }

    }

    static class SeenBase {

        @JsonShardedId(Photo.class)
        public final long id;

        SeenBase(@JsonShardedId(Photo.class) long id) {
            this.id = id;
        }

    }

    static class SeenLeaf extends SeenBase {

        SeenLeaf(long id) {
            super(id);
        }

    }

    static class MarkedParameter {

        public void setId(@JsonShardedId long id) {
        }

    }

    /** A row of a JSON column may be older than the annotation. */
    @ParameterizedTest
    @EnumSource
    void moduleThatNobodyToldTheFormsReadsPlainNumbersToo(Line line) throws Exception {
        String plain = "{\"user\":7,\"users\":[8,\"9\"],\"likes\":{\"5\":6},\"next\":\"4\",\"letter\":3}";
        String now = "{\"user\":\"usr_7\",\"users\":[\"usr_8\",\"usr_9\"],\"likes\":{\"usr_5\":\"usr_6\"},\"next\":\"usr_4\","
                + "\"letter\":\"0000000000003\"}";

        Row read = line.alone(plain, Row.class);

        assertThat(read).usingRecursiveComparison()
            .isEqualTo(new Row(7, new long[] { 8, 9 }, Map.of(5L, 6L), OptionalLong.of(4), 3))
            .isEqualTo(line.alone(now, Row.class));
        for (String bad : List.of("{\"user\":\"pho_7\"}", "{\"user\":\"usr_x\"}", "{\"letter\":\"3\"}",
                "{\"likes\":{\"x\":6}}")) {
            assertThatThrownBy(() -> line.alone(bad, Row.class)).as(bad)
                .hasMessageContaining("an id must be a text as it was given out");
        }
        assertThatThrownBy(() -> line.alone("{}", Photo.class)).hasMessageContaining("no key is set");
        assertThat(line.refusal("{\"user\":7}", Row.class, new PublicIdFormats()))
            .contains("an id must be a text as it was given out");
    }

    record Row(@JsonShardedId(User.class) long user, @JsonShardedId(User.class) long[] users,
            @JsonShardedId(User.class) Map<Long, Long> likes, @JsonShardedId(User.class) OptionalLong next,
            @JsonShardedId(Letter.class) long letter) {
    }

    @PublicId(form = PublicIdForm.CROCKFORD)
    static class Letter {

    }

    /** Jackson writes and reads such a reference as the number, and the id with it. */
    @ParameterizedTest
    @EnumSource
    void refusesReferencesByIdsOfAnotherForm(Line line) {
        Node node = new Node();
        node.next = node;
        Cover cover = new Cover();
        cover.photo = new Photo();
        cover.photo.id = ID;
        Gallery gallery = new Gallery();
        gallery.photos = List.of(Optional.of(cover.photo));
        Map<Object, String> refused = Map.of(node, "attribute 'id' of '" + HERE + "Node'", cover,
                "attribute 'id' of '" + HERE + "Photo'", gallery, "attribute 'id' of '" + HERE + "Photo'", new Link(ID),
                "attribute 'id' of '" + HERE + "Link'");

        refused.forEach((value, attribute) -> {
            String message = "Could not refer to objects by " + attribute + ": '@JsonIdentityInfo' with "
                    + "'PropertyGenerator' carries the number (form=sealed with prefix '";
            assertThatThrownBy(() -> line.write(value, CROCKFORD)).hasMessageContaining(message);
            assertThatThrownBy(() -> line.read("{}", value.getClass(), CROCKFORD)).hasMessageContaining(message);
        });
    }

    @ParameterizedTest
    @EnumSource
    void refersToObjectsByPlainIdsAndByNumbersOfJackson(Line line) throws Exception {
        PlainNode node = new PlainNode();
        node.next = node;
        CountedNode counted = new CountedNode();
        counted.id = ID;
        counted.next = counted;

        assertThat(line.write(node, new PublicIdFormats())).isEqualTo("{\"id\":\"5\",\"next\":\"5\"}");
        assertThat(line.read("{\"id\":\"5\",\"next\":\"5\"}", PlainNode.class, new PublicIdFormats()))
            .satisfies((read) -> assertThat(read.next).isSameAs(read));
        assertThat(line.write(counted, CROCKFORD)).contains("\"id\":\"" + TEXT + "\"", "\"next\":1");
    }

    @JsonIdentityInfo(generator = ObjectIdGenerators.PropertyGenerator.class, property = "id")
    @PublicId(prefix = "nod_", form = PublicIdForm.SEALED)
    static class Node {

        @ShardedId
        public Long id = ID;

        public Node next;

    }

    @JsonIdentityInfo(generator = ObjectIdGenerators.PropertyGenerator.class, property = "id")
    static class PlainNode {

        @ShardedId
        public Long id = 5L;

        public PlainNode next;

    }

    @JsonIdentityInfo(generator = ObjectIdGenerators.IntSequenceGenerator.class)
    static class CountedNode {

        @ShardedId
        public Long id;

        public CountedNode next;

    }

    static class Cover {

        @JsonIdentityInfo(generator = ObjectIdGenerators.PropertyGenerator.class, property = "id")
        @JsonIdentityReference(alwaysAsId = true)
        public Photo photo;

    }

    static class Gallery {

        @JsonIdentityInfo(generator = ObjectIdGenerators.PropertyGenerator.class, property = "id")
        @JsonIdentityReference(alwaysAsId = true)
        public List<Optional<Photo>> photos;

    }

    @JsonIdentityInfo(generator = ObjectIdGenerators.PropertyGenerator.class, property = "id")
    record Link(@JsonShardedId(Photo.class) long id) {
    }

    @PublicId(prefix = "pho_", form = PublicIdForm.SEALED, tag = "Photo")
    static class Photo {

        @ShardedId(shardKey = "author")
        public Long id;

        @JsonShardedId(User.class)
        public long author;

        @JsonShardedId
        public long album = 5;

    }

    @PublicId(prefix = "usr_")
    static class User {

    }

    @PublicId(prefix = "vis_")
    record Visit(@ShardedId(shardKey = "user") long id, long user, long count) {
    }

    record View(@JsonShardedId(Photo.class) long id, @JsonShardedId(User.class) Long author, @JsonShardedId long any,
            @JsonShardedId(Photo.class) List<List<Long>> rows, @JsonShardedId(Photo.class) Map<Long, Long> likes,
            @JsonShardedId(Photo.class) Optional<Long> after, @JsonShardedId(User.class) OptionalLong before,
            @JsonShardedId(Photo.class) long[] table, long views) {
    }

    record Nameless(@JsonShardedId long id) {
    }

    record PictureId(@JsonValue long value) {

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        PictureId {
        }

    }

    record Wrapped(@JsonShardedId PictureId id) {
    }

    @PublicId(prefix = "pho_", form = PublicIdForm.SEALED)
    static class OwnFormat {

        @ShardedId
        @JsonFormat(shape = JsonFormat.Shape.STRING)
        public long id = ID;

    }

    @PublicId(prefix = "pho_", form = PublicIdForm.SEALED)
    static class OwnSerializer {

        @ShardedId
        @tools.jackson.databind.annotation.JsonSerialize(
                using = tools.jackson.databind.ser.std.ToStringSerializer.class)
        public Long id = ID;

    }

    @PublicId(prefix = "pho_", form = PublicIdForm.SEALED)
    static class OwnSerializer2 {

        @ShardedId
        @com.fasterxml.jackson.databind.annotation.JsonSerialize(
                using = com.fasterxml.jackson.databind.ser.std.ToStringSerializer.class)
        public Long id = ID;

    }

    static class OwnKey {

        @ShardedId(shardKey = "author")
        public Long id = 5L;

        @JsonShardedId(Photo.class)
        @JsonFormat(shape = JsonFormat.Shape.NUMBER)
        public long author = ID;

    }

    record MemberWithFormat(@JsonShardedId(Photo.class) @JsonFormat(shape = JsonFormat.Shape.NUMBER) long id) {
    }

    record AsValue(@JsonValue @JsonShardedId(Photo.class) long id) {
    }

    @PublicId(prefix = "pho_", form = PublicIdForm.SEALED)
    static class SealedValue {

        @ShardedId
        private final Long id = ID;

        @JsonValue
        public Long getId() {
            return this.id;
        }

    }

    static class AsKey {

        @JsonKey
        @JsonShardedId(Photo.class)
        public long id = ID;

    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    static class AsType {

        @JsonTypeId
        @JsonShardedId(Photo.class)
        public String id = "" + ID;

    }

    static class Delegating {

        final long id;

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        Delegating(@JsonShardedId(Photo.class) long id) {
            this.id = id;
        }

    }

    record MemberAsString(@JsonShardedId(Photo.class) @JsonFormat(shape = JsonFormat.Shape.STRING) long id) {
    }

    record MembersWithSerializer(@JsonShardedId(Photo.class) @tools.jackson.databind.annotation.JsonSerialize(
            contentUsing = tools.jackson.databind.ser.std.ToStringSerializer.class) List<Long> ids) {
    }

    record MembersWithSerializer2(@JsonShardedId(Photo.class) @com.fasterxml.jackson.databind.annotation.JsonSerialize(
            contentUsing = com.fasterxml.jackson.databind.ser.std.ToStringSerializer.class) List<Long> ids) {
    }

}
