package io.shardedid.format;

import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

import io.shardedid.ShardedIdConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SealingKeysTest {

    private static final String REMEDY = "; make a key with 'openssl rand -base64 32'";

    private static String bytes(int from, int count) {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            bytes[i] = (byte) (from + i);
        }
        return Base64.getEncoder().encodeToString(bytes);
    }

    /** The example vectors of FIPS 197, appendix C: the halves of one block. */
    @ParameterizedTest
    @CsvSource({ "16, 69c4e0d86a7b0430d8cdb78070b4c55a", "24, dda97ca4864cdfe06eaf70a0ec0d7191",
            "32, 8ea2b7ca516745bfeafc49904b496089" })
    void sealsAsTheStandardSays(int keyBytes, String cipherText) {
        SealingKeys keys = SealingKeys.of(bytes(0, keyBytes));
        long id = 0x0011223344556677L;
        long tag = 0x8899aabbccddeeffL;

        byte[] block = keys.seal(id, tag);

        assertThat(HexFormat.of().formatHex(block)).isEqualTo(cipherText);
        assertThat(keys.open(block, tag)).hasValue(id);
        assertThat(keys.open(block, tag + 1)).isEmpty();
    }

    @Test
    void takesBase64WithAndWithoutPadding() {
        String padded = bytes(7, 16);

        assertThat(SealingKeys.of(padded).seal(1, 2)).isEqualTo(SealingKeys.of(padded.replace("=", "")).seal(1, 2));
    }

    @Test
    void refusesKeysThatAreNone() {
        refuses("No sealing key is given: keys=0 (at least 1)" + REMEDY, List.of());
        refuses("Sealing key cannot be read: key=2 (it is not Base64)" + REMEDY, List.of(bytes(0, 16), "secret!"));
        refuses("Sealing key cannot be read: key=1 (it is not Base64)" + REMEDY, List.of(bytes(0, 32) + "\n"));
        refuses("Sealing key has a wrong length: key=1, bytes=0 (16, 24 or 32)" + REMEDY, List.of(""));
        refuses("Sealing key has a wrong length: key=1, bytes=15 (16, 24 or 32)" + REMEDY, List.of(bytes(0, 15)));
        refuses("Sealing key has a wrong length: key=2, bytes=33 (16, 24 or 32)" + REMEDY,
                List.of(bytes(0, 32), bytes(0, 33)));
        refuses("Sealing keys are equal: key=1, key=3 (each key occurs once); remove one",
                List.of(bytes(0, 16), bytes(1, 16), bytes(0, 16).replace("=", "")));
    }

    /** The decoder's own message shows a character. */
    @Test
    void showsNoKey() {
        String key = bytes(0, 32);

        assertThat(SealingKeys.of(key, bytes(1, 32))).hasToString("SealingKeys[2]");
        assertThat(PublicIdFormat.sealed(SealingKeys.of(key), "Photo")).hasToString("sealed");
        assertThatThrownBy(() -> SealingKeys.of(key.replace('A', '!'))).hasNoCause()
            .message()
            .doesNotContain(key.substring(4, 8));
    }

    private static void refuses(String message, List<String> keys) {
        assertThatThrownBy(() -> SealingKeys.of(keys)).isInstanceOf(ShardedIdConfigurationException.class)
            .hasMessage(message)
            .hasNoCause();
    }

}
