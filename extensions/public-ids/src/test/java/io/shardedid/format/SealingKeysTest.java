package io.shardedid.format;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

import io.shardedid.ShardedIdConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** A second program that follows the page. */
    @ParameterizedTest
    @ValueSource(ints = { 16, 24, 32 })
    void sealsAsThePageSays(int keyBytes) throws GeneralSecurityException {
        String text = bytes(0, keyBytes);
        SealingKeys keys = SealingKeys.of(text);
        long id = 0x0011223344556677L;
        long tag = 0x8899aabbccddeeffL;
        byte[] key = Arrays.copyOf(hmac(Base64.getDecoder().decode(text), "shardedid seal 1"), keyBytes);
        Cipher aes = Cipher.getInstance("AES/ECB/NoPadding");
        aes.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"));

        byte[] block = keys.seal(id, tag);

        assertThat(block).isEqualTo(aes.doFinal(HexFormat.of().parseHex("00112233445566778899aabbccddeeff")));
        assertThat(keys.open(block, tag)).hasValue(id);
        assertThat(keys.open(block, tag + 1)).isEmpty();
    }

    /** Made with Python's hmac and with openssl. */
    @ParameterizedTest
    @CsvSource({ "16, 52a3951152836bf268af35f8c2a3963d", "24, d89c22017d5fe2e5c90db734399ea20e",
            "32, 67522d0b7133ae779a9c2249b91ec22d" })
    void sealsAsItAlwaysDid(int keyBytes, String cipherText) {
        byte[] block = SealingKeys.of(bytes(0, keyBytes)).seal(0x0011223344556677L, 0x8899aabbccddeeffL);

        assertThat(HexFormat.of().formatHex(block)).isEqualTo(cipherText);
    }

    /** RFC 2104 over SHA-256, from its definition. */
    private static byte[] hmac(byte[] key, String message) throws GeneralSecurityException {
        byte[] inner = new byte[64];
        byte[] outer = new byte[64];
        for (int i = 0; i < inner.length; i++) {
            byte bits = (i < key.length) ? key[i] : 0;
            inner[i] = (byte) (bits ^ 0x36);
            outer[i] = (byte) (bits ^ 0x5c);
        }
        MessageDigest sha = MessageDigest.getInstance("SHA-256");
        sha.update(inner);
        byte[] hash = sha.digest(message.getBytes(StandardCharsets.US_ASCII));
        sha.update(outer);
        return sha.digest(hash);
    }

    /**
     * The first of FIPS 197's examples is what this key made when it was used as it is.
     */
    @Test
    void blockOfTheKeyItselfOpensNothing() {
        byte[] block = HexFormat.of().parseHex("69c4e0d86a7b0430d8cdb78070b4c55a");

        assertThat(SealingKeys.of(bytes(0, 16)).open(block, 0x8899aabbccddeeffL)).isEmpty();
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
