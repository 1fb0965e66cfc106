package io.shardedid.format;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import com.github.f4b6a3.tsid.Tsid;
import io.shardedid.IdLayout;
import io.shardedid.ShardedIdConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PublicIdFormatTest {

    private static final int LOOPS = 5_000;

    private static final long SEED = Long.getLong("seed", System.nanoTime());

    private final Random random = new Random(SEED);

    private static SealingKeys keys(long... seeds) {
        return SealingKeys.of(Arrays.stream(seeds).mapToObj(PublicIdFormatTest::key).toList());
    }

    private static String key(long seed) {
        byte[] key = new byte[32];
        new Random(seed).nextBytes(key);
        return Base64.getEncoder().encodeToString(key);
    }

    static Stream<PublicIdFormat> formats() {
        PublicIdFormat sealed = PublicIdFormat.sealed(keys(1, 2), "Photo");
        return Stream.concat(PublicIdFormat.names().stream().map(PublicIdFormat::named), Stream.of(sealed))
            .flatMap((format) -> Stream.of(format, format.prefixed("pho_")));
    }

    @ParameterizedTest
    @MethodSource("formats")
    void eachIdGoesThereAndBack(PublicIdFormat format) {
        for (int i = 0; i < LOOPS; i++) {
            long id = anyId();
            assertThat(format.parse(format.format(id))).as(PublicIdFormatTest::seed).isEqualTo(id);
        }
        for (long id : new long[] { 0, 1, 31, 32, 61, 62, Long.MAX_VALUE - 1, Long.MAX_VALUE }) {
            assertThat(format.parse(format.format(id))).isEqualTo(id);
        }
    }

    @ParameterizedTest
    @MethodSource("formats")
    void eachTextMatchesThePattern(PublicIdFormat format) {
        for (int i = 0; i < LOOPS; i++) {
            assertThat(format.format(anyId())).as(PublicIdFormatTest::seed).matches(format.pattern());
        }
        assertThat(format.format(Long.MAX_VALUE)).matches(format.pattern());
    }

    @ParameterizedTest
    @MethodSource("formats")
    void sortedTextsAreSortedIds(PublicIdFormat format) {
        Map<String, Long> ids = new HashMap<>();
        for (int i = 0; i < LOOPS; i++) {
            long id = anyId();
            ids.put(format.format(id), id);
        }
        List<Long> byText = ids.keySet()
            .stream()
            .sorted(Comparator.comparing((text) -> text.getBytes(UTF_8), Arrays::compareUnsigned))
            .map(ids::get)
            .toList();

        assertThat(byText.equals(ids.values().stream().sorted().toList())).as("%s, %s", format, seed())
            .isEqualTo(format.sorted());
    }

    @Test
    void formsSayWhetherTheySort() {
        assertThat(formats().filter(PublicIdFormat::sorted)).extracting(PublicIdFormat::toString)
            .containsExactly("crockford", "crockford with prefix 'pho_'", "base62", "base62 with prefix 'pho_'");
    }

    /** A number of up to 63 bits, small ones as often as large ones. */
    private long anyId() {
        return this.random.nextLong() >>> 1 + this.random.nextInt(63);
    }

    @Test
    void crockfordIsThatOfTsidCreator() {
        PublicIdFormat crockford = PublicIdFormat.crockford();
        for (int i = 0; i < LOOPS; i++) {
            long id = anyId();
            Tsid theirs = Tsid.from(id);
            assertThat(crockford.format(id)).as(PublicIdFormatTest::seed).isEqualTo(theirs.toString());
            assertThat(crockford.parse(theirs.toLowerCase())).as(PublicIdFormatTest::seed).isEqualTo(id);
        }
        assertThat(crockford.format(Long.MAX_VALUE)).isEqualTo("7ZZZZZZZZZZZZ");

        assertThat(crockford.parse("01226N0640J7K")).isEqualTo(Tsid.from("01226N0640J7K").toLong());
    }

    @Test
    void crockfordReadsLookAlikesAsTsidCreatorDoes() {
        String looksAlike = "oO1iIlL0NAlOI";

        assertThat(PublicIdFormat.crockford().parse(looksAlike)).isEqualTo(Tsid.from(looksAlike).toLong())
            .isEqualTo(PublicIdFormat.crockford().parse("0011111".concat("0NA101")));
    }

    @Test
    void base62IsAPositionalNumber() {
        assertThat(PublicIdFormat.base62().format(0)).isEqualTo("00000000000");
        assertThat(PublicIdFormat.base62().format(9 + 62 * (10 + 62L * 36))).isEqualTo("00000000aA9");
        assertThat(PublicIdFormat.base62().format(Long.MAX_VALUE)).isEqualTo("AzL8n0Y58m7");
    }

    @Test
    void decimalIsWhatTheLayoutReads() {
        assertThat(PublicIdFormat.decimal().format(-7)).isEqualTo("-7");
        assertThat(PublicIdFormat.decimal().parse("-7")).isEqualTo(-7);
        assertThat(PublicIdFormat.decimal().parse("007")).isEqualTo(7);
        long last = IdLayout.standard().lastId();
        assertThat(PublicIdFormat.decimal().prefixed("pho_").format(last)).isEqualTo("pho_9223372036854775807");
    }

    @Test
    void sealedTakesEveryNumber() {
        PublicIdFormat sealed = PublicIdFormat.sealed(keys(1), "Photo");

        assertThat(sealed.parse(sealed.format(-7))).isEqualTo(-7);
        assertThat(sealed.format(7)).hasSize(22).isEqualTo(sealed.format(7)).isNotEqualTo(sealed.format(8));
    }

    /**
     * Links live forever. The text was made with Python and openssl, and the page shows
     * it.
     */
    @Test
    void sealedTextsStayWhatTheyAre() throws IOException {
        String key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
        String text = "DAH8jvgh7O-RhIEqr0Eubm";

        assertThat(PublicIdFormat.sealed(SealingKeys.of(key), "Photo").format(2217813737473025833L)).isEqualTo(text);
        assertThat(PublicIdFormat.sealed(SealingKeys.of(key), "Größe").format(2217813737473025833L))
            .isEqualTo("CCBEcXI2Td31gsvXu8T-a0");
        assertThat(Files.readString(Path.of("README.md"))).contains(key, text);
    }

    /** Spreadsheets take them for formulas, and shells for options. */
    @Test
    void noSealedTextBeginsWithASign() {
        PublicIdFormat sealed = PublicIdFormat.sealed(keys(1), "Photo");
        Set<Character> first = new TreeSet<>();
        for (int i = 0; i < LOOPS; i++) {
            first.add(sealed.format(anyId()).charAt(0));
        }

        assertThat(first).as(PublicIdFormatTest::seed).containsExactly('A', 'B', 'C', 'D');
    }

    @Test
    void newKeySealsAndOldKeyStillOpens() {
        PublicIdFormat before = PublicIdFormat.sealed(keys(1), "Photo");
        PublicIdFormat rotated = PublicIdFormat.sealed(keys(2, 1), "Photo");
        PublicIdFormat after = PublicIdFormat.sealed(keys(2), "Photo");
        String old = before.format(42);

        assertThat(rotated.parse(old)).isEqualTo(42);
        assertThat(rotated.format(42)).isNotEqualTo(old).isEqualTo(after.format(42));
        refuses(after, old, "it must be 22 characters that were sealed for 'Photo', keys=1");
    }

    @Test
    void textOfAnotherEntityDoesNotOpen() {
        SealingKeys keys = keys(1);
        PublicIdFormat photos = PublicIdFormat.sealed(keys, "Photo");
        PublicIdFormat users = PublicIdFormat.sealed(keys, "User");

        refuses(users, photos.format(42), "it must be 22 characters that were sealed for 'User', keys=1");
    }

    /** As many as the issue asks for; it takes seconds. */
    @Test
    void millionRandomTextsOpenNone() {
        PublicIdFormat sealed = PublicIdFormat.sealed(keys(1), "Photo");
        byte[] block = new byte[16];
        int opened = 0;
        for (int i = 0; i < 1_000_000; i++) {
            this.random.nextBytes(block);
            String text = Base64.getUrlEncoder().withoutPadding().encodeToString(block);
            opened += sealed.read(text).isPresent() ? 1 : 0;
        }

        assertThat(opened).as(PublicIdFormatTest::seed).isZero();
    }

    @Test
    void noChangedCharacterOpens() {
        PublicIdFormat sealed = PublicIdFormat.sealed(keys(1), "Photo");
        String text = sealed.format(42);
        String alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/= ";
        List<String> opened = new ArrayList<>();
        for (int at = 0; at < text.length(); at++) {
            for (char c : alphabet.toCharArray()) {
                String changed = text.substring(0, at) + c + text.substring(at + 1);
                if (sealed.read(changed).isPresent()) {
                    opened.add(changed);
                }
            }
        }

        assertThat(opened).hasSize(text.length()).containsOnly(text);
    }

    @Test
    void refusesTextsOfNoId() {
        String crockford = "it must be 13 characters of Crockford's base 32, up to 7ZZZZZZZZZZZZ";
        refuses(PublicIdFormat.crockford(), "", crockford);
        refuses(PublicIdFormat.crockford(), "0122-6N0640J7", crockford);
        refuses(PublicIdFormat.crockford(), "01226N0640J7", crockford);
        refuses(PublicIdFormat.crockford(), "01226N0640J7KK", crockford);
        refuses(PublicIdFormat.crockford(), "01226N0640J7U", crockford);
        refuses(PublicIdFormat.crockford(), "8000000000000", crockford);
        refuses(PublicIdFormat.crockford(), "ZZZZZZZZZZZZZ", crockford);
        String base62 = "it must be 11 characters of 0-9, A-Z and a-z, up to AzL8n0Y58m7";
        refuses(PublicIdFormat.base62(), "AzL8n0Y58m8", base62);
        refuses(PublicIdFormat.base62(), "zzzzzzzzzzz", base62);
        refuses(PublicIdFormat.base62(), "0000000000", base62);
        refuses(PublicIdFormat.base62(), "0000000000-", base62);
        refuses(PublicIdFormat.decimal(), "12.7", "it must be a whole number of 64 bits");
        refuses(PublicIdFormat.decimal(), "9223372036854775808", "it must be a whole number of 64 bits");
        PublicIdFormat sealed = PublicIdFormat.sealed(keys(1, 2), "Photo").prefixed("pho_");
        String text = sealed.format(42);
        String rule = "it must be 'pho_' and 22 characters that were sealed for 'Photo', keys=2";
        refuses(sealed, text.substring(0, text.length() - 1), rule);
        refuses(sealed, text + "A", rule);
        refuses(sealed, text.toUpperCase(Locale.ROOT).replace("PHO_", "pho_"), rule);
    }

    @Test
    void refusesAnotherPrefix() {
        PublicIdFormat photos = PublicIdFormat.crockford().prefixed("pho_");

        for (String text : List.of("usr_01226N0640J7K", "PHO_01226N0640J7K", "01226N0640J7K", "pho", "")) {
            assertThatIllegalArgumentException().isThrownBy(() -> photos.parse(text))
                .withMessageContainingAll("text='" + text + "'", "'pho_'");
        }
        refuses(photos, "pho_", "'pho_' and 13 ");
        refuses(PublicIdFormat.crockford(), "pho_01226N064", "7ZZZZZZZZZZZZ");
    }

    @Test
    void messagesShowStrangersTextsCutAndWithoutControlCharacters() {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> PublicIdFormat.decimal().parse("1\r\nINFO \u202e" + "x".repeat(299)))
            .withMessageContaining("text='1??INFO ?" + "x".repeat(191) + "...'");
    }

    @Test
    void refusesNegativeIdsWhereTextsSort() {
        assertThatIllegalArgumentException().isThrownBy(() -> PublicIdFormat.crockford().format(-5))
            .withMessageContainingAll("crockford", ">= 0", "id=-5", "sealed");
        assertThatIllegalArgumentException().isThrownBy(() -> PublicIdFormat.base62().format(Long.MIN_VALUE))
            .withMessageContainingAll("base62", ">= 0", "id=-9223372036854775808", "sealed");
    }

    @Test
    void refusesSettingsThatMakeNoSense() {
        assertThatThrownBy(() -> PublicIdFormat.named("hex")).isInstanceOf(ShardedIdConfigurationException.class)
            .hasMessageContainingAll("decimal, crockford, base62", "form='hex'");
        for (String prefix : List.of("", "_", "pho", "Pho_", "1ph_", "p-o_", "pho__", "abcdefghijklmnop_")) {
            assertThatThrownBy(() -> PublicIdFormat.decimal().prefixed(prefix))
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageContainingAll("1 to 15", "prefix='" + prefix + "'");
        }
        SealingKeys keys = keys(1);
        assertThatThrownBy(() -> PublicIdFormat.sealed(keys, " ")).isInstanceOf(ShardedIdConfigurationException.class)
            .hasMessageContainingAll("tag=' '", "name");
    }

    private static void refuses(PublicIdFormat format, String text, String rule) {
        assertThatIllegalArgumentException().isThrownBy(() -> format.parse(text))
            .withMessageContainingAll("text='" + text + "'", rule);
    }

    private static String seed() {
        return "-Dseed=" + SEED;
    }

}
