package io.shardedid.move;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FencedTableTest {

    private static FencedTable table(String schema, String name, String id, int shift, long mask) {
        return new FencedTable(17, schema, name, id, shift, mask, List.of());
    }

    /** Else a mover would empty shards that it does not move. */
    @Test
    void tablesAreFencedAlikeWhereTheSameBitsOfTheSameColumnAreTheShard() {
        FencedTable photo = table("public", "photo", "id", 12, 2047);

        assertThat(photo.fencedLike(table("public", "photo", "id", 12, 2047))).isTrue();
        assertThat(photo.fencedLike(table("other", "photo", "id", 12, 2047))).isFalse();
        assertThat(photo.fencedLike(table("public", "comment", "id", 12, 2047))).isFalse();
        assertThat(photo.fencedLike(table("public", "photo", "photo_id", 12, 2047))).isFalse();
        assertThat(photo.fencedLike(table("public", "photo", "id", 12, 8191))).isFalse();
        assertThat(photo.fencedLike(table("public", "photo", "id", 10, 2047))).isFalse();
    }

}
