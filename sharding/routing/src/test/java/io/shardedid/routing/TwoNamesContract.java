package io.shardedid.routing;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import com.acme.photos.Countries;
import com.acme.photos.Country;
import com.acme.photos.Feed;
import com.acme.photos.Photo;
import com.acme.photos.Photos;
import com.acme.photos.PhotosApplication;
import io.shardedid.shards.CrossShardException;
import io.shardedid.testdb.TestDatabase;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The router where two databases have two names. */
@SpringBootTest(classes = PhotosApplication.class,
        properties = { "shardedid.databases.west.username=root", "shardedid.databases.east.username=root",
                "shardedid.databases.home=east", "shardedid.databases.initial-map=0-999: west, 1000-1999: east",
                "shardedid.worker.lease.initialize-schema=always", "spring.jpa.hibernate.ddl-auto=validate" })
@DirtiesContext
abstract class TwoNamesContract {

    @Autowired
    Photos photos;

    @Autowired
    Countries countries;

    @Autowired
    Feed feed;

    @Autowired
    Shards shards;

    abstract TestDatabase west();

    abstract TestDatabase east();

    /** Makes the tables of a database, and lets the application know it. */
    static void add(String name, TestDatabase database, DynamicPropertyRegistry properties) {
        database.execute("create table photo (id bigint primary key, user_id bigint not null, caption varchar(255))",
                "create table comment (id bigint primary key, photo_id bigint not null, text varchar(255))",
                "create table country (code varchar(255) primary key, name varchar(255))");
        properties.add("shardedid.databases." + name + ".url", database::url);
    }

    @Test
    void rowsAreWhereTheirIdsSay() throws SQLException {
        long west = this.photos.save(new Photo(4, "a lake")).getId();
        long east = this.photos.save(new Photo(1500, "a river")).getId();

        assertThat(ids(west())).containsExactly(west);
        assertThat(ids(east())).containsExactly(east);
        assertThat(this.photos.findById(east)).map(Photo::getCaption).hasValue("a river");
        assertThat(this.photos.findByUserIdOrderByIdDesc(4)).hasSize(1);
        assertThat(this.photos.findAllById(List.of(west, east))).hasSize(2);
        assertThat(this.shards.merge(Comparator.comparing(Photo::getId).reversed(), 20,
                this.photos::findTop20ByOrderByIdDesc))
            .extracting(Photo::getId)
            .containsExactly(east, west);
        assertThatThrownBy(() -> this.feed.compare(west, east)).isInstanceOf(CrossShardException.class);
        this.shards.inEach(() -> this.countries.save(new Country("FI", "Finland")));
        assertThat(this.countries.findById("FI")).isPresent();
    }

    private static List<Long> ids(TestDatabase database) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select id from photo")) {
            List<Long> ids = new ArrayList<>();
            while (rows.next()) {
                ids.add(rows.getLong(1));
            }
            return ids;
        }
    }

}
