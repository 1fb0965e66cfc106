package photos;

import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

import io.shardedid.ShardedIdEngine;
import jakarta.persistence.EntityManagerFactory;
import org.hibernate.SessionFactory;
import org.hibernate.stat.Statistics;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(properties = "spring.jpa.properties.hibernate.generate_statistics=true")
class PhotosTest {

    @Autowired
    private Photos photos;

    @Autowired
    private Captions captions;

    @Autowired
    private ShardedIdEngine ids;

    @Autowired
    private EntityManagerFactory units;

    @Test
    void storesPhotosAndReadsThemNewestFirst() {
        Photo dawn = photo(5711, "dawn");
        Photo noon = photo(5711, "noon");

        this.photos.saveAll(List.of(dawn, noon));

        assertThat(this.photos.findByUserIdOrderByIdDesc(5711L)).extracting((photo) -> photo.caption)
            .containsExactly("noon", "dawn");
        assertThat(this.ids.shardOf(dawn.id)).isEqualTo(5711 % 2000);
        assertThat(this.ids.parse(noon.id).instant()).isBetween(Instant.now().minusSeconds(60),
                Instant.now().plusSeconds(60));
    }

    @Test
    void insertsAThousandPhotosInBatches() {
        Statistics statistics = this.units.unwrap(SessionFactory.class).getStatistics();
        statistics.clear();

        this.photos.saveAll(IntStream.range(0, 1000).mapToObj((i) -> photo(5712, "photo " + i)).toList());

        assertThat(statistics.getEntityInsertCount()).isEqualTo(1000);
        assertThat(statistics.getPrepareStatementCount()).isEqualTo(1);
    }

    /** A project without JSON, as a batch job may be. */
    @Test
    void needsNoJackson() {
        Photo dusk = this.photos.save(photo(5713, "dusk"));

        assertThat(this.captions.findByCaption("dusk")).extracting(Captions.Row::getId).containsExactly(dusk.id);
        assertThat(ClassUtils.isPresent("com.fasterxml.jackson.annotation.JsonFormat", null)).isFalse();
        assertThat(ClassUtils.isPresent("tools.jackson.databind.JacksonModule", null)).isFalse();
    }

    private static Photo photo(long user, String caption) {
        Photo photo = new Photo();
        photo.userId = user;
        photo.caption = caption;
        return photo;
    }

}
