package io.shardedid.format;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.OptionalLong;

import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import io.shardedid.ShardedIdConfigurationException;

/**
 * The keys that seal ids. The first key seals, and all keys open, so a new key is put in
 * front, and an old key is removed when its texts need not open any more. The keys of AES
 * are derived from them, so the same bytes, used as keys elsewhere, open no sealed id. No
 * message and no {@link #toString()} shows a key. Immutable and thread-safe.
 *
 * @since 0.1
 */
public final class SealingKeys {

    /** What to do about a key that is none. */
    static final String REMEDY = "make a key with 'openssl rand -base64 32'";

    private static final int BLOCK = 16;

    /** What the keys of AES are derived for. Another text would open no link. */
    private static final byte[] PURPOSE = "shardedid seal 1".getBytes(StandardCharsets.US_ASCII);

    private static final String DERIVATION = "HmacSHA256";

    /** One block has no chaining, so there is nothing that a mode could add. */
    private static final String ONE_BLOCK = "AES/ECB/NoPadding";

    /** Derived, one for each key that was given. */
    private final List<SecretKeySpec> keys;

    private SealingKeys(List<SecretKeySpec> keys) {
        this.keys = List.copyOf(keys);
    }

    /**
     * Takes keys from their texts.
     * @param keys 16, 24 or 32 bytes each, in Base64 with or without padding; the first
     * one seals
     * @return the keys
     * @throws ShardedIdConfigurationException if there is no key, or if a key is not
     * Base64, has another length or occurs twice
     */
    public static SealingKeys of(String... keys) {
        return of(List.of(keys));
    }

    /**
     * Takes keys from their texts.
     * @param keys 16, 24 or 32 bytes each, in Base64 with or without padding; the first
     * one seals
     * @return the keys
     * @throws ShardedIdConfigurationException if there is no key, or if a key is not
     * Base64, has another length or occurs twice
     */
    public static SealingKeys of(List<String> keys) {
        if (keys.isEmpty()) {
            throw new ShardedIdConfigurationException("No sealing key is given: keys=0 (at least 1)", REMEDY);
        }
        List<byte[]> decoded = new ArrayList<>();
        for (String key : keys) {
            byte[] bytes = decoded(key, decoded.size() + 1);
            for (int earlier = 0; earlier < decoded.size(); earlier++) {
                if (Arrays.equals(decoded.get(earlier), bytes)) {
                    throw new ShardedIdConfigurationException(
                            "Sealing keys are equal: key=%s, key=%s (each key occurs once)".formatted(earlier + 1,
                                    decoded.size() + 1),
                            "remove one");
                }
            }
            decoded.add(bytes);
        }
        return new SealingKeys(decoded.stream().map(SealingKeys::derived).toList());
    }

    /** Returns a key of AES with as many bytes as the key that was given. */
    private static SecretKeySpec derived(byte[] key) {
        try {
            Mac mac = Mac.getInstance(DERIVATION);
            mac.init(new SecretKeySpec(key, DERIVATION));
            return new SecretKeySpec(mac.doFinal(PURPOSE), 0, key.length, "AES");
        }
        catch (GeneralSecurityException ex) {
            throw new IllegalStateException(
                    "Could not derive a key: algorithm=%s (every JDK has it)".formatted(DERIVATION), ex);
        }
    }

    /** The cause would show a character of the key. */
    private static byte[] decoded(String key, int number) {
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(key);
        }
        catch (IllegalArgumentException notBase64) {
            throw new ShardedIdConfigurationException(
                    "Sealing key cannot be read: key=%s (it is not Base64)".formatted(number), REMEDY);
        }
        if (bytes.length != 16 && bytes.length != 24 && bytes.length != 32) {
            throw new ShardedIdConfigurationException(
                    "Sealing key has a wrong length: key=%s, bytes=%s (16, 24 or 32)".formatted(number, bytes.length),
                    REMEDY);
        }
        return bytes;
    }

    /**
     * Returns how many keys open a text.
     * @return 1 or more
     */
    public int size() {
        return this.keys.size();
    }

    /** Encrypts an id and a tag with the first key: one block, always the same. */
    byte[] seal(long id, long tag) {
        byte[] plain = ByteBuffer.allocate(BLOCK).putLong(id).putLong(tag).array();
        return oneBlock(Cipher.ENCRYPT_MODE, this.keys.get(0), plain);
    }

    /** Returns the id, or empty if no key opens the block with this tag. */
    OptionalLong open(byte[] block, long tag) {
        for (SecretKeySpec key : this.keys) {
            ByteBuffer plain = ByteBuffer.wrap(oneBlock(Cipher.DECRYPT_MODE, key, block));
            long id = plain.getLong();
            if (plain.getLong() == tag) {
                return OptionalLong.of(id);
            }
        }
        return OptionalLong.empty();
    }

    private static byte[] oneBlock(int mode, SecretKeySpec key, byte[] block) {
        try {
            Cipher cipher = Cipher.getInstance(ONE_BLOCK);
            cipher.init(mode, key);
            return cipher.doFinal(block);
        }
        catch (GeneralSecurityException ex) {
            throw new IllegalStateException(
                    "Could not use AES: transformation=%s (every JDK has it)".formatted(ONE_BLOCK), ex);
        }
    }

    /**
     * Returns whether another object holds the same keys in the same order.
     */
    @Override
    public boolean equals(Object other) {
        return other instanceof SealingKeys those && this.keys.equals(those.keys);
    }

    @Override
    public int hashCode() {
        return this.keys.hashCode();
    }

    /**
     * Returns the number of keys.
     * @return for example {@code SealingKeys[2]}
     */
    @Override
    public String toString() {
        return "SealingKeys[%s]".formatted(this.keys.size());
    }

}
