package photos;

import io.shardedid.ShardKeyException;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jdbc.test.autoconfigure.DataJdbcTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@DataJdbcTest
class PhotosSliceTest {

    @Autowired
    private Photos photos;

    @Test
    void savesInATestOfTheSlice() {
        assertThat(this.photos.save(new Photo(null, 12L, "dusk")).id()).isPositive();
    }

    @Test
    void refusesAPhotoWithoutAUser() {
        assertThatExceptionOfType(ShardKeyException.class)
            .isThrownBy(() -> this.photos.save(new Photo(null, null, "nobody's")))
            .withMessageContaining("shard key 'userId' is null");
    }

}
