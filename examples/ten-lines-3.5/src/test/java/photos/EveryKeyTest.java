package photos;

import java.io.InputStream;
import java.net.URL;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.shardedid.ShardedIdEngine;
import io.shardedid.config.ShardedIdKey;
import io.shardedid.config.ShardedIdSettings;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each key that the metadata of the starter's jar describes, set to another value than its default.
 */
@SpringBootTest
@TestPropertySource("classpath:every-key.properties")
class EveryKeyTest {

    @Autowired
    private Photos photos;

    @Autowired
    private ShardedIdEngine ids;

    @Autowired
    private ShardedIdSettings settings;

    @Autowired
    private Environment environment;

    @Test
    void eachKeyOfTheMetadataIsInForce() throws Exception {
        Set<String> described = described();
        Set<String> set = new TreeSet<>(described);

        assertThat(described).hasSizeGreaterThan(20);
        for (ShardedIdKey key : ShardedIdKey.values()) {
            if (set.remove(key.externalName())) {
                String text = this.environment.getRequiredProperty(key.externalName());
                assertThat(this.settings.get(key)).as(key.externalName()).isNotNull().isEqualTo(key.read(text));
                // 'lease' is the only mode that all keys fit
                assertThat(text).satisfiesAnyOf((value) -> assertThat(value).isNotEqualTo(key.defaultValue()),
                        (value) -> assertThat(key).isEqualTo(ShardedIdKey.WORKER_MODE));
            }
        }
        assertThat(set).isEmpty();
    }

    @Test
    void idsAreMadeByThem() {
        Photo photo = new Photo();
        photo.userId = 5711L;

        this.photos.save(photo);

        assertThat(this.photos.findById(photo.id)).isPresent();
        assertThat(this.ids.layout().describe()).isEqualTo("time 40, shard 10, worker 6, sequence 7");
        assertThat(this.ids.shards()).isEqualTo(64);
        assertThat(this.ids.parse(photo.id).worker()).isEqualTo(3);
        assertThat(this.ids.shardOf(photo.id)).isEqualTo(this.ids.shardOfKey(5711L)).isNotEqualTo(5711 % 64);
        String url = this.environment.getRequiredProperty("shardedid.worker.lease.url");
        assertThat(new JdbcTemplate(new DriverManagerDataSource(url, "keeper", "secret"))
            .queryForObject("select count(*) from leases where namespace = 'shop' and worker_id = 3", Integer.class))
            .isOne();
    }

    /** The namespace that 'shop' replaces must have been in use, and its process must have ended. */
    @BeforeAll
    static void runTheOneBefore() {
        new SpringApplicationBuilder(PhotosApplication.class).web(WebApplicationType.NONE)
            .run("--shardedid.worker.lease.url=jdbc:h2:mem:every-key;DB_CLOSE_DELAY=-1", "--shardedid.worker.lease.username=keeper",
                    "--shardedid.worker.lease.password=secret", "--shardedid.worker.lease.table=leases")
            .close();
    }

    private static Set<String> described() throws Exception {
        Set<String> names = new TreeSet<>();
        for (URL metadata : Collections.list(
                EveryKeyTest.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream json = metadata.openStream()) {
                for (JsonNode property : new ObjectMapper().readTree(json).get("properties")) {
                    names.add(property.get("name").asText());
                }
            }
        }
        names.removeIf((name) -> !name.startsWith("shardedid."));
        return names;
    }

}
