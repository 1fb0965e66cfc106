package io.shardedid.sample.id;

import java.time.Duration;
import java.util.List;

import io.shardedid.IdField;
import io.shardedid.IdLayout;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class IdPicturesTest {

    @Test
    void cutsTheStandardLayout() {
        IdLayout layout = IdLayout.standard();
        List<BitField> fields = IdPictures.of(layout.compose(59_568_183_124L, 1815, 1, 2), layout);
        assertThat(fields).containsExactly(new BitField("sign", 63, 63, "0", "0"),
                new BitField("time", 62, 23, "0000110111011110100010100101011101010100", "59568183124"),
                new BitField("shard", 22, 12, "11100010111", "1815"), new BitField("worker", 11, 5, "0000001", "1"),
                new BitField("sequence", 4, 0, "00010", "2"));
    }

    @Test
    void followsTheOrderOfTheLayoutAndShowsWhatIsUnused() {
        IdLayout layout = IdLayout.builder()
            .tick(Duration.ofSeconds(1))
            .timeBits(33)
            .shardBits(4)
            .workerBits(8)
            .sequenceBits(12)
            .order(IdField.WORKER, IdField.SEQUENCE, IdField.SHARD)
            .build();
        List<BitField> fields = IdPictures.of(layout.compose(1, 5, 255, 3), layout);
        assertThat(fields).extracting(BitField::name)
            .containsExactly("sign", "unused", "time", "worker", "sequence", "shard");
        assertThat(fields).extracting(BitField::value).containsExactly("0", "0", "1", "255", "3", "5");
        assertThat(fields).extracting(BitField::width).containsExactly(1, 6, 33, 8, 12, 4);
    }

    @Test
    void leavesOutAFieldWithoutBits() {
        assertThat(IdPictures.of(1, IdLayout.instagramExact())).extracting(BitField::name)
            .containsExactly("sign", "time", "shard", "sequence");
    }

    @Test
    void takesTheSmallestNumberThereIs() {
        List<BitField> fields = IdPictures.of(Long.MIN_VALUE, IdLayout.standard());
        assertThat(fields.get(0)).isEqualTo(new BitField("sign", 63, 63, "1", "1"));
        assertThat(fields).extracting(BitField::value).containsExactly("1", "0", "0", "0", "0");
    }

    @Test
    void drawsRunsOfOnesWhereTheyStand() {
        assertThat(new BitField("shard", 22, 10, "0011100010111", "1815").ones())
            .isEqualTo("M43 0h3v1h-3zM49 0h1v1h-1zM51 0h3v1h-3z");
        assertThat(new BitField("worker", 9, 5, "00000", "0").ones()).isEmpty();
    }

}
