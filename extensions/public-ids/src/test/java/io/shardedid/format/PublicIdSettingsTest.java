package io.shardedid.format;

import java.util.ArrayList;
import java.util.Map;

import io.shardedid.PublicIdForm;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.config.ShardedIdSettings;
import io.shardedid.jackson.IdTexts;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The keys of configuration that set the form of ids.
 */
class PublicIdSettingsTest {

    @Test
    void readsTheFormOfIdsAndItsKeys() {
        String keys = "AAECAwQFBgcICQoLDA0ODw==, EBESExQVFhcYGRobHB0eHw==";
        ShardedIdSettings settings = ShardedIdSettings
            .from(Map.of("shardedid.form", "sealed", "shardedid.sealing.keys", keys));

        assertThat(new PublicIdFormats().configured(settings).form()).isEqualTo(PublicIdForm.SEALED);
        assertThat(PublicIdFormats.keys(settings))
            .isEqualTo(SealingKeys.of("AAECAwQFBgcICQoLDA0ODw==", "EBESExQVFhcYGRobHB0eHw=="))
            .isNotEqualTo(SealingKeys.of("EBESExQVFhcYGRobHB0eHw==", "AAECAwQFBgcICQoLDA0ODw=="));
        assertThat(settings).hasToString("[shardedid.form=SEALED, shardedid.sealing.keys=SealingKeys[2]]");
        assertThat(new PublicIdFormats().configured(ShardedIdSettings.from(Map.of())).form())
            .isEqualTo(PublicIdForm.DECIMAL);
    }

    @Test
    void takesKeysAsAnObject() {
        SealingKeys keys = SealingKeys.of("AAECAwQFBgcICQoLDA0ODw==");

        assertThat(PublicIdFormats.keys(ShardedIdSettings.from(Map.of("shardedid.sealing.keys", keys)))).isSameAs(keys);
        assertThat(PublicIdFormats.keys(ShardedIdSettings.from(Map.of()))).isNull();
    }

    /** What is told of a key is its place, and never a character of it. */
    @Test
    void refusesFormsAndKeysThatAreNone() {
        refused("'shardedid.form' must be one of decimal, crockford, base62, sealed: shardedid.form='hex'",
                "shardedid.form", "hex");
        refused("'shardedid.form' must be one of decimal, crockford, base62, sealed: shardedid.form='configured'",
                "shardedid.form", "configured");
        refused("'shardedid.form=sealed' needs a key: shardedid.sealing.keys=null (at least 1); make a key with 'openssl "
                + "rand -base64 32', and set 'shardedid.sealing.keys'", "shardedid.form", "sealed");
        refused("Could not read 'shardedid.sealing.keys': Sealing key has a wrong length: key=2, bytes=15 (16, 24 or 32); "
                + "make a key with 'openssl rand -base64 32'", "shardedid.sealing.keys",
                "AAECAwQFBgcICQoLDA0ODw==,EBESExQVFhcYGRobHB0e");
        refused("Could not read 'shardedid.sealing.keys': Sealing key cannot be read: key=1 (it is not Base64); make a key "
                + "with 'openssl rand -base64 32'", "shardedid.sealing.keys", "s3cret!");
        refused("'shardedid.sealing.keys' must be AES keys in Base64, separated by commas: "
                + "shardedid.sealing.keys='******' of type java.util.ArrayList", "shardedid.sealing.keys",
                new ArrayList<>());
    }

    @Test
    void refusesNumbersInJsonWhereIdsHaveAnotherForm() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(
                () -> ShardedIdSettings.from(Map.of("shardedid.form", "base62", "shardedid.json.as-string", "false")))
            .withMessage("'shardedid.json.as-string' must not be false where ids have another form than decimal: "
                    + "shardedid.json.as-string=false, shardedid.form=base62; remove one of the keys");
    }

    private static void refused(String message, String key, Object value) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> IdTexts.of(ShardedIdSettings.from(Map.of(key, value))))
            .withMessage(message);
    }

}
