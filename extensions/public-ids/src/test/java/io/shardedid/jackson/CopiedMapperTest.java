package io.shardedid.jackson;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;

import io.shardedid.PublicId;
import io.shardedid.PublicIdForm;
import io.shardedid.ShardedId;
import io.shardedid.format.PublicIdFormats;
import io.shardedid.format.SealingKeys;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What a copy of a mapper by serialization knows of forms.
 */
class CopiedMapperTest {

    /** Keys have no place in a stream of objects. */
    @Test
    void copyOfAMapperRefusesSealedIds() throws Exception {
        JsonMapper copy = copy(JsonMapper.builder()
            .addModule(new ShardedIdJacksonModule(PublicIdFormats.of(PublicIdForm.CROCKFORD,
                    SealingKeys.of("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="))))
            .build());

        assertThat(copy.writeValueAsString(new Like(1, 2, 3))).contains("\"id\":\"0000000000001\"");
        assertThatThrownBy(() -> copy.writeValueAsString(new IdFormsTest.Photo()))
            .hasMessageContaining("no key is set");
    }

    /** A module without forms is for rows, which may be older than a form. */
    @Test
    void copyReadsAndWritesWhatItsOriginalDoes() throws Exception {
        JsonMapper ofRows = copy(JsonMapper.builder().addModule(new ShardedIdJacksonModule()).build());
        JsonMapper ofPages = copy(JsonMapper.builder()
            .addModule(new ShardedIdJacksonModule(PublicIdFormats.of(PublicIdForm.CROCKFORD,
                    SealingKeys.of("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="))))
            .build());

        assertThat(ofRows.readValue("{\"id\":\"42\"}", Row.class).id).isEqualTo(42);
        assertThat(ofPages.readValue("{\"id\":\"pho_000000000001A\"}", Row.class).id).isEqualTo(42);
        assertThatThrownBy(() -> ofPages.readValue("{\"id\":\"42\"}", Row.class)).hasMessageContaining("id");
        assertThat(ofRows.writeValueAsString(9007199254740993L)).isEqualTo("9007199254740993");
    }

    @PublicId(prefix = "pho_", form = PublicIdForm.CROCKFORD)
    static class Row {

        @ShardedId
        public Long id;

    }

    private static JsonMapper copy(JsonMapper mapper) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(mapper);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return (JsonMapper) in.readObject();
        }
    }

}
