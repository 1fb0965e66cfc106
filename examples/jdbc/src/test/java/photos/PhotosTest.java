package photos;

import java.util.List;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIdEngine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@SpringBootTest
class PhotosTest {

    @Autowired
    private Photos photos;

    @Autowired
    private ShardedIdEngine ids;

    @Test
    void storesPhotosAndReadsThemNewestFirst() {
        Photo dawn = this.photos.save(new Photo(null, 5711L, "dawn"));
        Photo noon = this.photos.save(new Photo(null, 5711L, "noon"));

        assertThat(this.photos.findByUserIdOrderByIdDesc(5711L)).isEqualTo(List.of(noon, dawn));
        assertThat(this.ids.shardOf(dawn.id())).isEqualTo(5711 % 2000);
    }

    @Test
    void refusesAPhotoWithoutAUser() {
        assertThatExceptionOfType(ShardKeyException.class)
            .isThrownBy(() -> this.photos.save(new Photo(null, null, "nobody's")));
    }

    @Test
    void updatesAPhotoThatIsStored() {
        Photo dawn = this.photos.save(new Photo(null, 12L, "dawn"));

        assertThat(this.photos.save(new Photo(dawn.id(), 12L, "dusk"))).isEqualTo(new Photo(dawn.id(), 12L, "dusk"));
        assertThat(this.photos.findByUserIdOrderByIdDesc(12L)).extracting(Photo::caption).containsExactly("dusk");
    }

    /** The starter needs none of them. */
    @ParameterizedTest
    @ValueSource(strings = { "org.hibernate.SessionFactory", "jakarta.persistence.Entity",
            "org.springframework.data.jpa.repository.JpaRepository" })
    void isNotOnTheClassPath(String type) {
        assertThatExceptionOfType(ClassNotFoundException.class).isThrownBy(() -> Class.forName(type));
    }

}
