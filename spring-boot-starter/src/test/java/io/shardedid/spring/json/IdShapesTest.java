package io.shardedid.spring.json;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import io.shardedid.PublicId;
import io.shardedid.PublicIdForm;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIds;
import io.shardedid.config.ShardedIdSettings;
import io.shardedid.format.PublicIdFormats;
import io.shardedid.format.SealingKeys;
import io.shardedid.jackson.JsonShardedId;
import io.shardedid.jackson.ShardedIdJackson2Module;
import io.shardedid.jackson.ShardedIdJacksonModule;
import io.shardedid.jackson.UnmarkedNumbers;
import io.shardedid.spring.feed.Author;
import io.shardedid.spring.feed.Authors;
import io.shardedid.spring.feed.FeedApplication;
import io.shardedid.spring.feed.Photo;
import io.shardedid.spring.feed.PhotoViews;
import io.shardedid.spring.feed.Photos;
import io.shardedid.spring.test.PredictableIds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.domain.PageImpl;
import org.springframework.data.domain.PageRequest;
import org.springframework.data.jdbc.core.mapping.AggregateReference;
import org.springframework.data.projection.SpelAwareProxyProjectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What becomes of an id in each shape that can hold one, by both Jacksons, and whether
 * the log says so. The page on JSON has both tables in short. The proof in Kotlin has the
 * classes of Kotlin.
 */
@Tag("slow")
@SpringBootTest(classes = FeedApplication.class)
@PredictableIds
@ExtendWith(OutputCaptureExtension.class)
class IdShapesTest {

    private static final String PLAIN = """
            entity                         | string |
            shard key 7 of an entity       | string |
            JPA projection, interface      | string |
            projection, flattened path     | string |
            projection, SpEL               | number | WARN
            REST projection, interface     | string |
            AggregateReference             | string |
            AggregateReference in a list   | string |
            AggregateReference, no types   | number | WARN
            marked record                  | string |
            marked class                   | string |
            marked list                    | string |
            marked map, values             | string |
            marked Optional                | string |
            marked OptionalLong            | string |
            marked array                   | string |
            marked wrapper                 | string |
            record                         | number | WARN
            class                          | number | WARN
            record of a repository's query | number | WARN
            nested record                  | number | WARN
            generic wrapper                | number | WARN
            list in a record               | number | WARN
            array in a record              | number | WARN
            Optional in a record           | number | WARN
            OptionalLong in a record       | number | WARN
            map in a record                | number | WARN
            Page of ids                    | number | WARN
            bare                           | number | WARN
            list                           | number | WARN
            array                          | number | WARN
            map value                      | number | WARN
            map key                        | string |
            row of a query                 | number | WARN
            tree of Jackson                | number |
            """;

    /** The id is that of an entity with sealed ids. */
    private static final String SEALED = """
            entity                       | sealed |
            key that names its entity    | sealed |
            AggregateReference           | sealed |
            AggregateReference, no types | number | WARN
            marked record                | sealed |
            marked list                  | sealed |
            marked array                 | sealed |
            marked map, keys             | sealed |
            marked map, values           | sealed |
            marked entry                 | sealed |
            marked Optional              | sealed |
            marked OptionalLong          | sealed |
            mark without the entity      | string |
            record                       | number | WARN
            map value                    | number | WARN
            map key                      | string |
            bare                         | number | WARN
            """;

    @Autowired
    private ShardedIds ids;

    @Autowired
    private ProjectedIds projected;

    @Autowired
    private RepositoryProjections repositories;

    @Autowired
    private PhotoViews views;

    @Autowired
    private Authors authors;

    @Autowired
    private Photos photos;

    @Test
    void plainIds(CapturedOutput log) throws Exception {
        Author author = this.authors.save(new Author());
        Photo photo = this.photos.saveAndFlush(new Photo(author, "shapes"));
        long id = photo.getId();
        this.repositories.lookAtExported((domain) -> (domain == Photo.class) ? List.of(RestView.class) : List.of());
        Map<String, Object> shapes = new LinkedHashMap<>();
        shapes.put("entity", photo);
        shapes.put("shard key 7 of an entity", new Keyed(1L, 7));
        shapes.put("JPA projection, interface", this.views.findByCaption("shapes"));
        shapes.put("projection, flattened path", this.views.findByCaption("shapes"));
        shapes.put("projection, SpEL", this.views.findOpenByCaption("shapes"));
        shapes.put("REST projection, interface",
                new SpelAwareProxyProjectionFactory().createProjection(RestView.class, photo));
        shapes.put("AggregateReference", new Referring(AggregateReference.to(id)));
        shapes.put("AggregateReference in a list", new References(List.of(AggregateReference.to(id))));
        shapes.put("AggregateReference, no types", Map.of("user", AggregateReference.to(id)));
        shapes.put("marked record", new Marked(id));
        shapes.put("marked class", new MarkedClass(id));
        shapes.put("marked list",
                new MarkedMany(List.of(id), Map.of(), Optional.empty(), OptionalLong.empty(), null, null));
        shapes.put("marked map, values",
                new MarkedMany(null, Map.of("a", id), Optional.empty(), OptionalLong.empty(), null, null));
        shapes.put("marked Optional", new MarkedMany(null, null, Optional.of(id), OptionalLong.empty(), null, null));
        shapes.put("marked OptionalLong",
                new MarkedMany(null, null, Optional.empty(), OptionalLong.of(id), null, null));
        shapes.put("marked array",
                new MarkedMany(null, null, Optional.empty(), OptionalLong.empty(), new long[] { id }, null));
        shapes.put("marked wrapper",
                new MarkedMany(null, null, Optional.empty(), OptionalLong.empty(), null, new PhotoId(id)));
        shapes.put("record", new View(id));
        shapes.put("class", new ViewClass(id));
        shapes.put("record of a repository's query", this.views.findRecordByCaption("shapes"));
        shapes.put("nested record", new Outer(new View(id)));
        shapes.put("generic wrapper", new Box<>(id));
        shapes.put("list in a record", new Many(List.of(id), null, Optional.empty(), OptionalLong.empty(), null));
        shapes.put("array in a record",
                new Many(null, new long[] { id }, Optional.empty(), OptionalLong.empty(), null));
        shapes.put("Optional in a record", new Many(null, null, Optional.of(id), OptionalLong.empty(), null));
        shapes.put("OptionalLong in a record", new Many(null, null, Optional.empty(), OptionalLong.of(id), null));
        shapes.put("map in a record", new Many(null, null, Optional.empty(), OptionalLong.empty(), Map.of("a", id)));
        shapes.put("Page of ids", new PageImpl<>(List.of(id), PageRequest.of(0, 1), 1));
        shapes.put("bare", id);
        shapes.put("list", List.of(id));
        shapes.put("array", new Long[] { id });
        shapes.put("map value", Map.of("id", id));
        shapes.put("map key", Map.of(id, "x"));
        shapes.put("row of a query", new Object[] { id, "x" });
        shapes.put("tree of Jackson", null);

        assertThat(table(shapes, id, new PublicIdFormats(), log)).isEqualTo(PLAIN);
    }

    @Test
    void sealedIds(CapturedOutput log) throws Exception {
        long id = this.ids.next(5);
        Map<String, Object> shapes = new LinkedHashMap<>();
        shapes.put("entity", new Secret(id));
        shapes.put("key that names its entity", new OfSecret(1L, id));
        shapes.put("AggregateReference", new ToSecret(AggregateReference.to(id)));
        shapes.put("AggregateReference, no types", Map.of("secret", AggregateReference.to(id)));
        shapes.put("marked record", new SecretView(id));
        shapes.put("marked list", new Secrets(List.of(id), null, null, null, null, null, OptionalLong.empty()));
        shapes.put("marked array", new Secrets(null, new long[] { id }, null, null, null, null, OptionalLong.empty()));
        shapes.put("marked map, keys",
                new Secrets(null, null, Map.of(id, "x"), null, null, null, OptionalLong.empty()));
        shapes.put("marked map, values",
                new Secrets(null, null, null, Map.of("x", id), null, null, OptionalLong.empty()));
        shapes.put("marked entry", new Secrets(null, null, null, null, Map.entry(id, id), null, OptionalLong.empty()));
        shapes.put("marked Optional", new Secrets(null, null, null, null, null, Optional.of(id), OptionalLong.empty()));
        shapes.put("marked OptionalLong", new Secrets(null, null, null, null, null, null, OptionalLong.of(id)));
        shapes.put("mark without the entity", new Marked(id));
        shapes.put("record", new View(id));
        shapes.put("map value", Map.of("id", id));
        shapes.put("map key", Map.of(id, "x"));
        shapes.put("bare", id);

        assertThat(
                table(shapes, id,
                        PublicIdFormats.of(PublicIdForm.DECIMAL,
                                SealingKeys.of("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")),
                        log))
            .isEqualTo(SEALED);
    }

    /** Timestamps, hashes, and ids of other systems. */
    @Test
    void numbersThatAreNoIdsAreSilent() {
        LongPredicate couldBeId = ShardedIdSettings.from(Map.of())
            .reader()
            .withClock(() -> Instant.parse("2026-11-23T12:00:00Z"))::couldBeMade;
        long[] others = { 1_795_435_200_000_000_000L, 1_700_000_000_000_000_000L, 1_893_456_000_000_000_000L,
                Long.MAX_VALUE, Long.MAX_VALUE - 1, Long.MIN_VALUE, -1, -501_207_248_630_984_705L,
                1_580_661_436_132_757_506L, 1_992_304_981_561_888_768L, 1_311_768_467_463_790_320L,
                7_218_382_105_562_578_944L, 0x7fed_cba9_8765_4321L, 0xcbf2_9ce4_8422_2325L, 0x1234_5678_9abc_def0L,
                6_148_914_691_236_517_205L, 1_000_000_000_000_000_000L, 9_000_000_000_000_000_000L,
                638_999_999_999_999_999L, 3_074_457_345_618_258_602L };

        assertThat(LongStream.of(others).filter(couldBeId)).isEmpty();
        assertThat(others).hasSize(20);
        assertThat(couldBeId.test(this.ids.layout().firstIdAt(Instant.parse("2026-11-23T11:59:59Z")))).isTrue();
        assertThat(couldBeId.test(this.ids.layout().firstIdAt(Instant.parse("2026-11-24T12:00:00Z")))).isFalse();
    }

    /** Sessions and jobs on other machines carry mappers. */
    @Test
    void mapperWithTheModuleOfTheApplicationCanBeSerialized(@Autowired ShardedIdJacksonModule module) throws Exception {
        JsonMapper mapper = JsonMapper.builder().addModule(module).build();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(mapper);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            assertThat(((JsonMapper) in.readObject()).writeValueAsString(new Keyed(1L, 7)))
                .isEqualTo(mapper.writeValueAsString(new Keyed(1L, 7)))
                .contains("\"7\"");
        }
    }

    private String table(Map<String, Object> shapes, long id, PublicIdFormats formats, CapturedOutput log)
            throws Exception {
        int width = shapes.keySet().stream().mapToInt(String::length).max().orElseThrow();
        StringBuilder table = new StringBuilder();
        for (Map.Entry<String, Object> shape : shapes.entrySet()) {
            List<String> lines = List.of(line(id, log, jackson3(formats), shape.getValue()),
                    line(id, log, jackson2(formats), shape.getValue()));
            table.append(String.format("%-" + width + "s | %s%n", shape.getKey(),
                    lines.stream().distinct().collect(Collectors.joining(" / "))));
        }
        return table.toString();
    }

    private String line(long id, CapturedOutput log, Writer writer, Object shape) throws Exception {
        int before = log.getAll().length();
        String json = writer.write(shape, id);
        boolean warned = log.getAll().substring(before).contains("JSON carries what looks like an id as a number");
        String text = (shape instanceof Keyed) ? "7" : Long.toString(id);
        String form = json.contains("\"" + text + "\"") ? "string" : json.contains(text) ? "number" : "sealed";
        return form + " |" + (warned ? " WARN" : "");
    }

    private Writer jackson3(PublicIdFormats formats) {
        JsonMapper mapper = JsonMapper.builder()
            .addModule(new ShardedIdJacksonModule(this.projected, watched(), formats))
            .build();
        return (shape, id) -> mapper.writeValueAsString((shape != null) ? shape : mapper.createArrayNode().add(id));
    }

    private Writer jackson2(PublicIdFormats formats) {
        com.fasterxml.jackson.databind.json.JsonMapper mapper = com.fasterxml.jackson.databind.json.JsonMapper.builder()
            .addModules(new Jdk8Module(), new ShardedIdJackson2Module(this.projected, watched(), formats))
            .build();
        return (shape, id) -> mapper.writeValueAsString((shape != null) ? shape : mapper.createArrayNode().add(id));
    }

    private UnmarkedNumbers watched() {
        return UnmarkedNumbers.watched(ShardedIdSettings.from(Map.of()).reader()::couldBeMade);
    }

    interface Writer {

        String write(Object shape, long id) throws Exception;

    }

    /** No repository names it. */
    public interface RestView {

        Long getId();

    }

    static class Keyed {

        @ShardedId(shardKey = "userId")
        public Long id;

        public long userId;

        Keyed(Long id, long userId) {
            this.id = id;
            this.userId = userId;
        }

    }

    record Referring(AggregateReference<Author, Long> user) {
    }

    record References(List<AggregateReference<Author, Long>> users) {
    }

    record Marked(@JsonShardedId long id) {
    }

    static class MarkedClass {

        @JsonShardedId
        public Long id;

        MarkedClass(Long id) {
            this.id = id;
        }

    }

    record PhotoId(@JsonValue long value) {
    }

    record MarkedMany(@JsonShardedId List<Long> list, @JsonShardedId Map<String, Long> map,
            @JsonShardedId Optional<Long> optional, @JsonShardedId OptionalLong number, @JsonShardedId long[] array,
            @JsonShardedId PhotoId wrapper) {
    }

    record View(long id) {
    }

    static class ViewClass {

        public Long id;

        ViewClass(Long id) {
            this.id = id;
        }

    }

    record Outer(View photo) {
    }

    record Box<T>(T value) {
    }

    record Many(List<Long> list, long[] array, Optional<Long> optional, OptionalLong number, Map<String, Long> map) {
    }

    @PublicId(form = PublicIdForm.SEALED)
    static class Secret {

        @ShardedId
        public Long id;

        Secret(Long id) {
            this.id = id;
        }

    }

    static class OfSecret {

        @ShardedId(colocateWith = "secret")
        public Long id;

        @JsonShardedId(Secret.class)
        public long secret;

        OfSecret(Long id, long secret) {
            this.id = id;
            this.secret = secret;
        }

    }

    record ToSecret(AggregateReference<Secret, Long> secret) {
    }

    record SecretView(@JsonShardedId(Secret.class) long id) {
    }

    record Secrets(@JsonShardedId(Secret.class) List<Long> list, @JsonShardedId(Secret.class) long[] array,
            @JsonShardedId(Secret.class) Map<Long, String> keys, @JsonShardedId(Secret.class) Map<String, Long> values,
            @JsonShardedId(Secret.class) Map.Entry<Long, Long> entry,
            @JsonShardedId(Secret.class) Optional<Long> optional, @JsonShardedId(Secret.class) OptionalLong number) {
    }

}
