package photos

import io.shardedid.ShardedIdEngine
import jakarta.persistence.EntityManagerFactory
import org.assertj.core.api.Assertions.assertThat
import org.hibernate.SessionFactory
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.test.context.SpringBootTest

@SpringBootTest(properties = ["spring.jpa.properties.hibernate.generate_statistics=true"])
class PhotosTest(
    @Autowired private val photos: Photos,
    @Autowired private val ids: ShardedIdEngine,
    @Autowired private val units: EntityManagerFactory,
) {

    @Test
    fun storesPhotosAndReadsThemNewestFirst() {
        val dawn = Photo(5711, "dawn")
        val noon = Photo(5711, "noon")

        photos.saveAll(listOf(dawn, noon))

        assertThat(photos.findByUserIdOrderByIdDesc(5711).map { it.caption }).containsExactly("noon", "dawn")
        assertThat(ids.shardOf(dawn.id!!)).isEqualTo(5711 % 2000)
    }

    @Test
    fun insertsAThousandPhotosInBatches() {
        val statistics = units.unwrap(SessionFactory::class.java).statistics
        statistics.clear()

        photos.saveAll((0 until 1000).map { Photo(5712, "photo $it") })

        assertThat(statistics.entityInsertCount).isEqualTo(1000)
        assertThat(statistics.prepareStatementCount).isEqualTo(1)
    }

}
