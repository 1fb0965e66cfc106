package io.shardedid;

import java.math.BigInteger;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * The vectors were computed by an implementation in another language, from the text of
 * {@link ShardFunction#hash()}. They may never change.
 */
class ShardFunctionTest {

    private static final ShardFunction MODULO = ShardFunction.modulo();

    private static final ShardFunction HASH = ShardFunction.hash();

    @ParameterizedTest
    @CsvSource({ "5001, 2000, 1001", "31341, 2000, 1341", "0, 2000, 0", "-1, 2000, 1999", "-2000, 2000, 0",
            "-9223372036854775808, 2000, 192", "9223372036854775807, 2000, 1807", "-7, 1, 0",
            "9223372036854775807, 1073741824, 1073741823" })
    void moduloIsNeverNegative(long key, int shards, int shard) {
        assertThat(MODULO.shardOf(key, shards)).isEqualTo(shard);
        assertThat(MODULO.shardOf(BigInteger.valueOf(key), shards)).isEqualTo(shard);
    }

    @Test
    void moduloReadsEveryIntegerTypeAlike() {
        assertThat(MODULO.shardOf((byte) -3, 2000)).isEqualTo(1997);
        assertThat(MODULO.shardOf((short) -3, 2000)).isEqualTo(1997);
        assertThat(MODULO.shardOf(-3, 2000)).isEqualTo(1997);
        assertThat(MODULO.shardOf(-3L, 2000)).isEqualTo(1997);
        assertThat(MODULO.shardOf(new BigInteger("-1000000000000000000000000000003"), 2000)).isEqualTo(1997);
    }

    @ParameterizedTest
    @MethodSource
    void hashKeepsItsVectors(Object key, int of2000, int of8192) {
        assertThat(HASH.shardOf(key, 2000)).isEqualTo(of2000);
        assertThat(HASH.shardOf(key, 8192)).isEqualTo(of8192);
        assertThat(HASH.shardOf(key, 1)).isZero();
    }

    static Stream<Arguments> hashKeepsItsVectors() {
        return Stream.of(arguments(0L, 1535, 3503), arguments(1L, 465, 7361), arguments(-1L, 1936, 3104),
                arguments(42L, 1413, 3733), arguments(42, 1413, 3733), arguments((short) 42, 1413, 3733),
                arguments((byte) 42, 1413, 3733), arguments(BigInteger.valueOf(42), 1413, 3733),
                arguments((byte) -1, 1936, 3104), arguments(5001L, 1747, 3603), arguments(31341L, 1330, 2050),
                arguments(1L << 31, 1868, 4972), arguments(Long.MIN_VALUE, 1915, 5083),
                arguments(Long.MAX_VALUE, 39, 7847), arguments(BigInteger.valueOf(Long.MIN_VALUE), 1915, 5083),
                arguments(new BigInteger("9223372036854775808"), 824, 3192),
                arguments(BigInteger.TEN.pow(30), 337, 3633), arguments(BigInteger.TEN.pow(30).negate(), 1010, 2226),
                arguments("", 203, 2203), arguments("a", 1736, 248), arguments("0", 1026, 402),
                arguments("user-5001", 1420, 4396), arguments("Z\u00fcrich", 1485, 6749),
                arguments("\u65e5\u672c", 1014, 3846), arguments("\ud83d\ude00", 288, 1392),
                arguments(new UUID(0, 0), 1871, 5311),
                arguments(UUID.fromString("123e4567-e89b-12d3-a456-426614174000"), 725, 4357),
                arguments(new UUID(-1, -1), 888, 5432), arguments(Colour.RED, 396, 668), arguments("RED", 396, 668));
    }

    @Test
    void mixIsThatOfSplitMix64() {
        assertThat(KeyShardFunction.hashOf(0L)).isEqualTo(0xe220a8397b1dcdafL);
    }

    @Test
    void moduloHashesWhatIsNoNumber() {
        assertThat(MODULO.shardOf("user-5001", 2000)).isEqualTo(1420);
        assertThat(MODULO.shardOf(new UUID(-1, -1), 2000)).isEqualTo(888);
        assertThat(MODULO.shardOf(Colour.RED, 2000)).isEqualTo(396);
    }

    @Test
    void enumsCountByNameAlsoWithABodyOfTheirOwn() {
        assertThat(HASH.shardOf(Colour.GREEN, 2000)).isEqualTo(HASH.shardOf("GREEN", 2000));
        assertThat(HASH.shardOf(TimeUnit.DAYS, 2000)).isEqualTo(HASH.shardOf("DAYS", 2000));
    }

    @Test
    void hashFillsAllShardsEvenlyWhateverThePatternOfKeys() {
        assertEven("in a row", (i) -> i);
        assertEven("multiples of the shard count", (i) -> i * 2000);
        assertEven("negative", (i) -> -i);
        assertEven("high bits only", (i) -> i << 40);
        assertEven("texts", (i) -> "user-" + i);
        assertEven("UUIDs in a row", (i) -> new UUID(0x0123456789ab7000L, i));
    }

    /**
     * Chi-square with 1,999 degrees of freedom: beyond 2,400 once in 10^9 runs of chance.
     */
    private static void assertEven(String pattern, LongFunction<Object> keys) {
        int shards = 2000;
        int each = 100;
        int[] hits = new int[shards];
        for (long i = 0; i < shards * each; i++) {
            hits[HASH.shardOf(keys.apply(i), shards)]++;
        }
        double chiSquare = 0;
        for (int hit : hits) {
            chiSquare += (double) (hit - each) * (hit - each) / each;
        }
        assertThat(chiSquare).as(pattern).isLessThan(2400);
    }

    @Test
    void refusesKeysThatItCannotRead() {
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> MODULO.shardOf(1.5, 2000))
            .withMessageContainingAll("type=java.lang.Double", "shardedid.shard-function");
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> HASH.shardOf(new AtomicLong(7), 2000))
            .withMessageContainingAll("type=java.util.concurrent.atomic.AtomicLong", "shardedid.shard-function");
    }

    @Test
    void tellsAtBootWhichTypesItReads() {
        for (ShardFunction function : new ShardFunction[] { MODULO, HASH }) {
            assertThat(Stream.of(Long.class, Integer.class, Short.class, Byte.class, BigInteger.class, String.class,
                    UUID.class, Colour.class))
                .allMatch(function::supports);
            assertThat(Stream.of(Double.class, AtomicLong.class, Object.class, Number.class, Enum.class))
                .noneMatch(function::supports);
        }
    }

    @Test
    void namesItself() {
        assertThat(MODULO.id()).isEqualTo("modulo");
        assertThat(HASH.id()).isEqualTo("hash");
    }

    private enum Colour {

        RED, GREEN {
            @Override
            public String toString() {
                return "verde";
            }
        }

    }

}
