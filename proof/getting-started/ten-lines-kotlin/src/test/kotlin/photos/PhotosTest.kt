package photos

import io.shardedid.ShardedIdEngine
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.test.context.SpringBootTest

@SpringBootTest
class PhotosTest(@Autowired private val photos: Photos, @Autowired private val ids: ShardedIdEngine) {

    @Test
    fun storesPhotosAndReadsThemNewestFirst() {
        val dawn = Photo(5711, "dawn")
        val noon = Photo(5711, "noon")

        photos.saveAll(listOf(dawn, noon))

        assertThat(photos.findByUserIdOrderByIdDesc(5711).map { it.caption }).containsExactly("noon", "dawn")
        assertThat(ids.shardOf(dawn.id!!)).isEqualTo(5711 % 2000)
    }

}
