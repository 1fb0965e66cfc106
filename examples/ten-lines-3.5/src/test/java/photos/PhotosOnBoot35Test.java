package photos;

import io.shardedid.ShardedIdEngine;
import io.shardedid.jackson.JsonShardedId;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.client.TestRestTemplate;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/** What an application of Spring Boot 3.5 sees over HTTP. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = { "management.endpoints.web.exposure.include=health,metrics,shardedid",
                "management.endpoint.health.show-details=always" })
@Import(PhotosOnBoot35Test.PhotoController.class)
class PhotosOnBoot35Test {

    @Autowired
    private Photos photos;

    @Autowired
    private ShardedIdEngine ids;

    @Autowired
    private TestRestTemplate web;

    @Test
    void applicationDecidesTheVersionOfSpringBoot() {
        assertThat(SpringBootVersion.getVersion()).startsWith("3.5.");
    }

    @Test
    void idIsReadBackAndLeavesAsAString() {
        Photo photo = store();

        assertThat(this.ids.shardOf(photo.id)).isEqualTo(5711 % 2000);
        assertThat(this.photos.findById(photo.id).orElseThrow().caption).isEqualTo("dawn");
        assertThat(this.web.getForObject("/photos/{id}", String.class, photo.id))
            .isEqualTo("{\"id\":\"%d\",\"caption\":\"dawn\"}".formatted(photo.id));
    }

    @Test
    void healthMetersAndEndpointAreThere() {
        Photo photo = store();

        assertThat(this.web.getForObject("/actuator/health/shardedid", String.class)).contains("\"status\":\"UP\"")
            .contains("\"mode\":\"lease\"");
        assertThat(this.web.getForObject("/actuator/metrics/shardedid.ids", String.class))
            .contains("\"statistic\":\"COUNT\"");
        assertThat(this.web.getForObject("/actuator/metrics/shardedid.lease.remaining", String.class))
            .contains("\"baseUnit\":\"seconds\"");
        assertThat(this.web.getForObject("/actuator/shardedid/{id}", String.class, photo.id)).contains("\"shard\":1711");
    }

    private Photo store() {
        Photo photo = new Photo();
        photo.userId = 5711L;
        photo.caption = "dawn";
        return this.photos.save(photo);
    }

    @RestController
    static class PhotoController {

        private final Photos photos;

        PhotoController(Photos photos) {
            this.photos = photos;
        }

        @GetMapping("/photos/{id}")
        View photo(@PathVariable Long id) {
            Photo photo = this.photos.findById(id).orElseThrow();
            return new View(photo.id, photo.caption);
        }

    }

    record View(@JsonShardedId Long id, String caption) {
    }

}
