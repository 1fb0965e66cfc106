package photos;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;

import com.baomidou.mybatisplus.core.conditions.query.QueryWrapper;
import com.baomidou.mybatisplus.core.incrementer.DefaultIdentifierGenerator;
import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIds;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@SpringBootTest
class PhotosTest {

    @Autowired
    private Photos photos;

    @Autowired
    private Tags tags;

    @Autowired
    private ShardedIds ids;

    @Test
    void insertsAPhotoIntoTheShardOfItsUser() {
        Photo dawn = photo(5711L, "dawn");
        Photo noon = photo(5711L, "noon");
        this.photos.insert(dawn);
        this.photos.insert(noon);

        assertThat(this.photos
            .selectList(new QueryWrapper<Photo>().eq("user_id", 5711L).orderByDesc("id"))).extracting("caption")
            .containsExactly("noon", "dawn");
        assertThat(this.ids.parse(dawn.id).shard()).isEqualTo(5711 % 2000);
    }

    @Test
    void insertsAListInItsOrder() {
        List<Photo> list = LongStream.range(0, 500).mapToObj((i) -> photo(12L, "photo " + i)).toList();
        this.photos.insert(list);

        assertThat(list).extracting((photo) -> photo.id).isSorted().doesNotHaveDuplicates();
        assertThat(this.photos.selectCount(new QueryWrapper<Photo>().eq("user_id", 12L))).isEqualTo(500);
    }

    @Test
    void makesTextsToo() {
        Tag tag = new Tag();
        tag.name = "sea";
        this.tags.insert(tag);

        assertThat(this.ids.parse(Long.parseLong(this.tags.selectById(tag.id).id)).shard()).isBetween(0, 1999);
    }

    @Test
    void continuesAboveTheIdsOfMyBatisPlus() {
        Photo old = photo(7L, "old");
        old.id = new DefaultIdentifierGenerator(31, 31).nextId(old);
        this.photos.insert(old);
        Photo next = photo(7L, "new");
        this.photos.insert(next);

        assertThat(next.id).isGreaterThan(old.id);
    }

    @Test
    void fourteenThreadsMakeNoDuplicateIds() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(14);
        try {
            List<Callable<Void>> inserts = new ArrayList<>();
            for (int thread = 0; thread < 14; thread++) {
                inserts.add(() -> {
                    for (int i = 0; i < 200; i++) {
                        this.photos.insert(photo(33L, "one of many"));
                    }
                    return null;
                });
            }
            for (Future<Void> insert : threads.invokeAll(inserts)) {
                insert.get();
            }
        }
        finally {
            threads.shutdownNow();
        }
        assertThat(this.photos.selectCount(new QueryWrapper<Photo>().eq("user_id", 33L))).isEqualTo(14 * 200);
    }

    @Test
    void refusesAPhotoWithoutAUser() {
        assertThatThrownBy(() -> this.photos.insert(photo(null, "nobody's"))).hasRootCauseInstanceOf(ShardKeyException.class);
    }

    private static Photo photo(Long userId, String caption) {
        Photo photo = new Photo();
        photo.userId = userId;
        photo.caption = caption;
        return photo;
    }

}
