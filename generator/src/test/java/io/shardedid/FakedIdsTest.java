package io.shardedid;

import java.time.Clock;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class FakedIdsTest {

    @Test
    void applicationFakesIdsByAPlainClass() {
        AlbumService albums = new AlbumService(new CountingIds());

        assertThat(albums.newAlbum(5001)).isEqualTo(IdLayout.standard().compose(7, 1001, 0, 1));
        assertThat(albums.newAlbum(5001)).isEqualTo(IdLayout.standard().compose(7, 1001, 0, 2));
        assertThat(albums.shardOf(IdLayout.standard().compose(7, 1001, 0, 1))).isEqualTo(1001);
    }

    @Test
    void fakeWithoutUuidsSaysSo() {
        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(() -> new CountingIds().uuids())
            .withMessageContainingAll("io.shardedid.FakedIdsTest$CountingIds", "ShardedIds.builder()");
    }

    private record AlbumService(ShardedIds ids) {

        long newAlbum(long owner) {
            return this.ids.nextFor(owner);
        }

        int shardOf(long album) {
            return this.ids.parse(album).shard();
        }

    }

    private static final class CountingIds implements ShardedIds {

        private final IdReader reader = ShardedIds.builder().reader();

        private int count;

        @Override
        public long next(int shard) {
            return layout().compose(7, shard, 0, ++this.count);
        }

        @Override
        public void next(int shard, long[] into) {
            for (int i = 0; i < into.length; i++) {
                into[i] = next(shard);
            }
        }

        @Override
        public long next() {
            return next(0);
        }

        @Override
        public IdReader reader() {
            return this.reader;
        }

        @Override
        public Clock clock() {
            return Clock.systemUTC();
        }

        @Override
        public void close() {
            // nothing is held
        }

    }

}
