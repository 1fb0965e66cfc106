package photos;

import java.time.Instant;
import java.util.List;

import io.shardedid.ShardedIdEngine;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest
class PhotosTest {

    @Autowired
    private Photos photos;

    @Autowired
    private ShardedIdEngine ids;

    @Test
    void storesPhotosAndReadsThemNewestFirst() {
        Photo dawn = photo("dawn");
        Photo noon = photo("noon");

        this.photos.saveAll(List.of(dawn, noon));

        assertThat(this.photos.findByUserIdOrderByIdDesc(5711L)).extracting((photo) -> photo.caption)
            .containsExactly("noon", "dawn");
        assertThat(this.ids.shardOf(dawn.id)).isEqualTo(5711 % 2000);
        assertThat(this.ids.parse(noon.id).instant()).isBetween(Instant.now().minusSeconds(60),
                Instant.now().plusSeconds(60));
    }

    private static Photo photo(String caption) {
        Photo photo = new Photo();
        photo.userId = 5711L;
        photo.caption = caption;
        return photo;
    }

}
