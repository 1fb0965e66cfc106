package io.shardedid.cli;

import java.util.Random;

import io.shardedid.Seed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class BwmarrinBaseTest {

    /** Of the tests of bwmarrin/snowflake, snowflake_test.go. */
    @ParameterizedTest
    @CsvSource({ "BASE32, b8wjm1zroyyyy, 1427970479175499776", "BASE58, 4jgmnx8Js8A, 1428076403798048768",
            "BASE64, MTExNjgxOTQ5NDY2MDk5NzEyMA==, 1116819494660997120" })
    void readsAndWritesItsExamples(BwmarrinBase base, String text, long id) {
        assertThat(base.read(text)).hasValue(id);
        assertThat(base.write(id)).isEqualTo(text);
    }

    /** Its base 36 is that of Go's strconv, which is that of Java. */
    @Test
    void base36IsThatOfJava() {
        assertThat(BwmarrinBase.BASE36.read("8hgmw4blvlkw")).hasValue(Long.parseLong("8hgmw4blvlkw", 36));
        assertThat(BwmarrinBase.BASE36.write(Long.MAX_VALUE)).isEqualTo(Long.toString(Long.MAX_VALUE, 36));
    }

    @ParameterizedTest
    @EnumSource
    void eachIdGoesThereAndBack(BwmarrinBase base) {
        Seed seed = Seed.ofThisRun();
        Random random = seed.random();
        for (int i = 0; i < 5_000; i++) {
            long id = random.nextLong() >>> 1 + random.nextInt(63);
            assertThat(base.read(base.write(id))).as(seed::toString).hasValue(id);
        }
        assertThat(base.read(base.write(0))).hasValue(0);
        assertThat(base.read(base.write(Long.MAX_VALUE))).hasValue(Long.MAX_VALUE);
    }

    /** The refusals of its own tests, and numbers of more than 63 bits. */
    @ParameterizedTest
    @CsvSource({ "BASE32, B8WJM1ZROYYYY", "BASE32, b8wjm1zroyyyl", "BASE32, b8wjm1zroyyyv", "BASE32, b8wjm1zroyyy2",
            "BASE32, 9999999999999", "BASE36, 68h5gmw443blv2lk1w", "BASE36, 1Y2P0IJ32E8E8", "BASE58, 0jgmnx8Js8A",
            "BASE58, Ijgmnx8Js8A", "BASE58, Ojgmnx8Js8A", "BASE58, ljgmnx8Js8A", "BASE58, ZZZZZZZZZZZ", "BASE58, ''",
            "BASE64, MTExNjgxOTQ5NDY2MDk5NzEyMA", "BASE64, MTExNjgxOTQ5NDY2MDk5NzEyMB==", "BASE64, //8=",
            "BASE64, ''" })
    void refusesWhatItRefuses(BwmarrinBase base, String text) {
        assertThat(base.read(text)).isEmpty();
    }

}
