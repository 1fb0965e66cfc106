package photos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** The project of sharding/docs/routing.md does what the page says, on two servers. */
@Tag("proof")
class TenLinesOfRoutingIT {

    private static final Path PAGE = Path.of("../../sharding/docs/routing.md");

    private static EmbeddedPostgres a;

    private static EmbeddedPostgres b;

    private static ConfigurableApplicationContext application;

    @BeforeAll
    static void start() throws IOException, SQLException {
        a = server();
        b = server();
        application = new SpringApplicationBuilder(PhotosApplication.class).run(
                "--shardedid.databases.a.url=" + a.getJdbcUrl("postgres", "postgres"),
                "--shardedid.databases.b.url=" + b.getJdbcUrl("postgres", "postgres"));
    }

    private static EmbeddedPostgres server() throws IOException, SQLException {
        EmbeddedPostgres server = EmbeddedPostgres.builder().setPGStartupWait(Duration.ofSeconds(90)).start();
        try (var connection = server.getPostgresDatabase().getConnection();
                var statement = connection.createStatement()) {
            statement.execute(
                    "create table photo (id bigint primary key, user_id bigint not null, caption varchar(255) not null)");
        }
        return server;
    }

    @AfterAll
    static void stop() throws IOException {
        application.close();
        a.close();
        b.close();
    }

    @Test
    void rowsAreWhereTheirIdsSay() throws SQLException {
        Gallery gallery = application.getBean(Gallery.class);
        Photos photos = application.getBean(Photos.class);
        long lake = gallery.publish(4, "a lake");
        long river = gallery.publish(1500, "a river");

        assertThat(ids(a)).containsExactly(lake);
        assertThat(ids(b)).containsExactly(river);
        assertThat(gallery.captionOf(river)).isEqualTo("a river");
        assertThat(photos.findByUserIdOrderByIdDesc(1500)).hasSize(1);
        assertThat(photos.search(1500, "a r%")).hasSize(1);
        assertThat(gallery.newest()).extracting(Photo::getId).containsExactly(river, lake);
        assertThat(gallery.countBesideUser(1500)).isOne();
    }

    private static List<Long> ids(EmbeddedPostgres server) throws SQLException {
        try (var connection = server.getPostgresDatabase().getConnection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery("select id from photo")) {
            List<Long> ids = new ArrayList<>();
            while (rows.next()) {
                ids.add(rows.getLong(1));
            }
            return ids;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "src/main/resources/application.properties", "src/main/java/photos/Photos.java",
            "src/main/java/photos/Gallery.java" })
    void pageShowsTheFilesOfThisProject(String file) throws IOException {
        assertThat(Files.readString(PAGE)).contains("<!-- examples/routing/" + file + " -->\n",
                Files.readString(Path.of(file)).replace("package photos;\n\n", ""));
    }

}
