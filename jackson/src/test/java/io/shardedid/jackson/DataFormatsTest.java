package io.shardedid.jackson;

import java.util.List;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import io.shardedid.jackson.IdShapes.Read;
import io.shardedid.jackson.IdShapes.Shape;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.MapperBuilder;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.cbor.CBORMapper;
import tools.jackson.dataformat.smile.SmileMapper;
import tools.jackson.dataformat.xml.XmlMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLWriteFeature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The same shapes in what Jackson writes beside JSON, where numbers and texts differ,
 * too.
 */
class DataFormatsTest {

    private static final String ID = Long.toString(IdShapes.ID);

    static Stream<Shape> shapes() throws Exception {
        return IdShapes.all();
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void withJackson3(Shape shape) {
        JsonNode expected = new JsonMapper().readTree(shape.expected());
        for (MapperBuilder<?, ?> builder : List.of(YAMLMapper.builder().disable(YAMLWriteFeature.USE_NATIVE_TYPE_ID),
                CBORMapper.builder(), SmileMapper.builder())) {
            tools.jackson.databind.ObjectMapper mapper = builder.addModule(new ShardedIdJacksonModule()).build();

            byte[] written = mapper.writeValueAsBytes(shape.value());

            assertThat(mapper.readTree(written)).as(mapper.getClass().getName()).isEqualTo(expected);
            if (shape.read() != Read.NOT) {
                Object read = mapper.readValue(written, shape.value().getClass());
                assertThat(mapper.writeValueAsBytes(read)).isEqualTo(written);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void withJackson2(Shape shape) throws Exception {
        com.fasterxml.jackson.databind.JsonNode expected = new ObjectMapper().readTree(shape.expected());
        for (ObjectMapper mapper : List.of(
                new ObjectMapper(new YAMLFactory().disable(YAMLGenerator.Feature.USE_NATIVE_TYPE_ID)),
                new com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper(),
                new com.fasterxml.jackson.dataformat.smile.databind.SmileMapper())) {
            mapper.registerModules(new Jdk8Module(), new ShardedIdJackson2Module());

            byte[] written = mapper.writeValueAsBytes(shape.value());

            assertThat(mapper.readTree(written)).as(mapper.getClass().getName()).isEqualTo(expected);
            if (shape.read() != Read.NOT) {
                Object read = mapper.readValue(written, shape.value().getClass());
                assertThat(mapper.writeValueAsBytes(read)).isEqualTo(written);
            }
        }
    }

    /** XML has texts alone, and what is read of them is as strict. */
    @ParameterizedTest
    @MethodSource("shapes")
    void xml(Shape shape) throws Exception {
        if (shape.read() != Read.STRICT || !shape.where().equals("id")) {
            return;
        }
        XmlMapper mapper = XmlMapper.builder().addModule(new ShardedIdJacksonModule()).build();
        com.fasterxml.jackson.dataformat.xml.XmlMapper mapper2 = new com.fasterxml.jackson.dataformat.xml.XmlMapper();
        mapper2.registerModules(new Jdk8Module(), new ShardedIdJackson2Module());
        Class<?> type = shape.value().getClass();

        String xml = mapper.writeValueAsString(shape.value());

        assertThat(xml).contains("<id>" + ID + "</id>").isEqualTo(mapper2.writeValueAsString(shape.value()));
        assertThat(mapper.writeValueAsString(mapper.readValue(xml, type))).isEqualTo(xml);
        assertThat(mapper2.writeValueAsString(mapper2.readValue(xml, type))).isEqualTo(xml);
        for (String bad : List.of("12.5", "", " 12", "+12", "012", "9223372036854775808")) {
            String none = xml.replace(ID, bad);
            assertThatThrownBy(() -> mapper.readValue(none, type)).as(none).isInstanceOf(UnreadableId.class);
            assertThatThrownBy(() -> mapper2.readValue(none, type)).as(none).isInstanceOf(UnreadableId.class);
        }
    }

}
