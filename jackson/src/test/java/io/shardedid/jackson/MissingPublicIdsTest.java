package io.shardedid.jackson;

import java.util.ArrayList;
import java.util.List;

import io.shardedid.PublicId;
import io.shardedid.PublicIdForm;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.config.JsonAsString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The texts of ids where no module gives them another form than the number.
 */
class MissingPublicIdsTest {

    private static final String REFUSAL = "'@PublicId' on '" + Photo.class.getName()
            + "' needs an artifact that is not on the class path: artifact=shardedid-public-ids (ids would leave as "
            + "numbers); add 'io.shardedid:shardedid-public-ids', or remove the annotation";

    private final IdTexts texts = IdTexts.unconfigured();

    @Test
    void refusesAnEntityWhoseIdsHaveAnotherForm() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> this.texts.forEntity(Sub.class))
            .withMessage(REFUSAL);
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> this.texts.forAttribute(Photo.class, "id", Long.class))
            .withMessage(REFUSAL);
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> this.texts.check(List.of(Plain.class, Photo.class), JsonAsString.TRUE))
            .withMessage(REFUSAL);
    }

    @Test
    void neitherJacksonWritesItsNumber() {
        for (Object value : List.of(new Photo(), new Sub(), new View(7))) {
            assertThatThrownBy(() -> JsonMapper.builder().findAndAddModules().build().writeValueAsString(value))
                .hasMessageContaining(REFUSAL);
            assertThatThrownBy(() -> com.fasterxml.jackson.databind.json.JsonMapper.builder()
                .findAndAddModules()
                .build()
                .writeValueAsString(value)).hasMessageContaining(REFUSAL);
        }
    }

    @Test
    void neitherJacksonReadsItsNumber() {
        for (Class<?> type : List.of(Photo.class, View.class)) {
            assertThatThrownBy(() -> JsonMapper.builder().findAndAddModules().build().readValue("{\"id\":\"7\"}", type))
                .hasMessageContaining(REFUSAL);
            assertThatThrownBy(() -> com.fasterxml.jackson.databind.json.JsonMapper.builder()
                .findAndAddModules()
                .build()
                .readValue("{\"id\":\"7\"}", type)).hasMessageContaining(REFUSAL);
        }
    }

    @Test
    void otherIdsAreNumbers() {
        assertThat(this.texts.plain()).isTrue();
        assertThat(this.texts.withoutEntity()).isSameAs(IdText.decimal());
        assertThat(this.texts.forEntity(Plain.class).plain()).isTrue();
        assertThat(this.texts.forAttribute(Plain.class, "id", long.class)).contains(IdText.decimal());
        assertThat(this.texts.forAttribute(Plain.class, "id", String.class)).isEmpty();
        this.texts.check(List.of(Plain.class), JsonAsString.FALSE);
    }

    @Test
    void numberAsAText() {
        assertThat(IdText.decimal().format(Long.MIN_VALUE)).isEqualTo("-9223372036854775808");
        assertThat(IdText.decimal().parse("0012")).isEqualTo(12);
        assertThat(IdText.decimal().pattern()).isEqualTo("^[0-9]{1,19}$");
        assertThat(IdText.decimal().prefix()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "", " 7", "+7", "7.0", "\u0667", "9223372036854775808", "pho_7" })
    void textThatIsNoNumber(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> IdText.decimal().parse(text))
            .withMessage("Could not read an id: text='" + text
                    + "' (it must be a whole number of 64 bits); take the text as it was given out");
    }

    /** What a client sends is never an older id. */
    @Test
    void textOfAClient() {
        List<String> log = new ArrayList<>();
        assertThat(JsonIds.read("7", IdText.decimal(), log::add)).isEqualTo(7);
        for (String text : List.of("-7", "x")) {
            assertThatExceptionOfType(JsonIds.NoIdException.class)
                .isThrownBy(() -> JsonIds.read(text, IdText.decimal(), log::add))
                .withMessage("an id must be a whole number from 0 to 9223372036854775807");
        }
        assertThat(log).satisfiesExactly((reason) -> assertThat(reason).contains("text='-7' (it must not be negative)"),
                (reason) -> assertThat(reason).contains("it must be a whole number of 64 bits"));
    }

    @PublicId(form = PublicIdForm.SEALED)
    static class Photo {

        @ShardedId
        public Long id = 7L;

    }

    static class Sub extends Photo {

    }

    static class Plain {

        @ShardedId
        public Long id = 7L;

    }

    record View(@JsonShardedId(Photo.class) long id) {
    }

}
