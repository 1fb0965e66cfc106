package io.shardedid.sample.id;

import java.math.BigInteger;
import java.util.List;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class Base62Test {

    @ParameterizedTest
    @CsvSource({ "0, 00000000000", "61, 0000000000z", "62, 00000000010", "9223372036854775807, AzL8n0Y58m7",
            "-1, LygHa16AHYF" })
    void writesElevenDigits(long bits, String text) {
        assertThat(Base62.of(bits)).isEqualTo(text);
    }

    @Test
    void textsSortAsTheirNumbersDo() {
        List<Long> ids = LongStream.of(0, 9, 61, 62, 3843, 3844, 499694137501309986L, Long.MAX_VALUE).boxed().toList();
        assertThat(ids.stream().map(Base62::of).toList()).isSorted();
    }

    @Test
    void theTextIsTheNumber() {
        String digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        BigInteger read = BigInteger.ZERO;
        for (char digit : Base62.of(499694137501309986L).toCharArray()) {
            read = read.multiply(BigInteger.valueOf(62)).add(BigInteger.valueOf(digits.indexOf(digit)));
        }
        assertThat(read).isEqualTo(499694137501309986L);
    }

}
