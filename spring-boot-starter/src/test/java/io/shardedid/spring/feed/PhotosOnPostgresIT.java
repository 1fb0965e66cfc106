package io.shardedid.spring.feed;

import java.io.IOException;
import java.time.Duration;

import io.shardedid.tools.FreePort;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/** The example of docs/testing.md for a server. */
@DataJpaTest(properties = "spring.jpa.hibernate.ddl-auto=create-drop")
@Tag("proof")
class PhotosOnPostgresIT {

    private static EmbeddedPostgres server;

    @BeforeAll
    static void start() throws IOException {
        server = EmbeddedPostgres.builder().setPort(FreePort.find()).setPGStartupWait(Duration.ofSeconds(90)).start();
    }

    @AfterAll
    static void end() throws IOException {
        server.close();
    }

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry properties) {
        properties.add("spring.datasource.url", () -> server.getJdbcUrl("postgres", "postgres"));
    }

    /** The context ends before its server does. */
    @Test
    @DirtiesContext
    void photosAreOnTheServer(@Autowired Authors authors, @Autowired Photos photos, @Autowired JdbcTemplate database) {
        Photo photo = photos.saveAndFlush(new Photo(authors.save(new Author()), "dawn"));

        assertThat(database.queryForObject("select caption from photo where id = ?", String.class, photo.getId()))
            .isEqualTo("dawn");
        assertThat(database.queryForObject("select count(*) from shardedid_worker where worker_id >= 0", Integer.class))
            .isOne();
    }

}
