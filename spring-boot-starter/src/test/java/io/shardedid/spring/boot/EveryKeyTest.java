package io.shardedid.spring.boot;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

import io.shardedid.ShardedIdEngine;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.config.ShardedIdKey;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.spring.feed.FeedApplication;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.PropertiesLoaderUtils;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Each key that the metadata of the starter's jar describes, set to another value than
 * its default.
 */
@SpringBootTest(classes = FeedApplication.class)
@TestPropertySource("classpath:every-key.properties")
class EveryKeyTest {

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
        // with 'url' there is no data source to name
        assertThat(set.remove(ShardedIdKey.LEASE_DATA_SOURCE.externalName())).isTrue();

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
        long id = this.ids.nextFor(5711L);

        assertThat(this.ids.layout().describe()).isEqualTo("time 40, shard 10, worker 6, sequence 7");
        assertThat(this.ids.shards()).isEqualTo(64);
        assertThat(this.ids.parse(id).worker()).isEqualTo(3);
        assertThat(this.ids.shardOf(id)).isEqualTo(this.ids.shardOfKey(5711L)).isNotEqualTo(5711 % 64);
        String url = this.environment.getRequiredProperty("shardedid.worker.lease.url");
        assertThat(new JdbcTemplate(new DriverManagerDataSource(url, "keeper", "secret"))
            .queryForObject("select count(*) from leases where namespace = 'shop' and worker_id = 3", Integer.class))
            .isOne();
    }

    /**
     * The first lease of a tolerant namespace waits until its layout row is a minute old.
     */
    @BeforeAll
    static void beginNamespace() throws IOException {
        Properties keys = PropertiesLoaderUtils.loadProperties(new ClassPathResource("every-key.properties"));
        keys.setProperty("shardedid.clock.max-wait", "2s");
        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(FeedApplication.class)
            .web(WebApplicationType.NONE)
            .properties(keys)
            .run()) {
            assertThatThrownBy(() -> application.getBean(ShardedIdEngine.class).nextFor(5711L))
                .isInstanceOf(WorkerLeaseException.class);
            assertThat(new JdbcTemplate(
                    new DriverManagerDataSource(keys.getProperty("shardedid.worker.lease.url"), "keeper", "secret"))
                .update("update leases set hwm_tick = hwm_tick - 120000 where worker_id = -1")).isOne();
        }
    }

    private static Set<String> described() throws Exception {
        Set<String> names = new TreeSet<>();
        for (URL metadata : Collections
            .list(EveryKeyTest.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream json = metadata.openStream()) {
                String text = new String(json.readAllBytes(), StandardCharsets.UTF_8);
                for (Object property : (List<?>) JsonParserFactory.getJsonParser().parseMap(text).get("properties")) {
                    names.add((String) ((Map<?, ?>) property).get("name"));
                }
            }
        }
        names.removeIf((name) -> !name.startsWith("shardedid."));
        return names;
    }

}
