package io.shardedid.sample.photo;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.shardedid.IdWindow;
import io.shardedid.ShardedIds;
import io.shardedid.sample.SampleImages;
import io.shardedid.sample.user.User;
import io.shardedid.sample.user.Users;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.hibernate.SessionFactory;
import org.hibernate.stat.Statistics;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.data.domain.Limit;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

@DataJpaTest(properties = "spring.jpa.properties.hibernate.generate_statistics=true")
@Tag("slow")
class PhotosTest {

    @Autowired
    private Users users;

    @Autowired
    private Photos photos;

    @Autowired
    private PhotoImages images;

    @Autowired
    private EntityManager entities;

    @Autowired
    private EntityManagerFactory factory;

    @Autowired
    private ShardedIds ids;

    @Autowired
    private JdbcTemplate sql;

    @Test
    void liveInTheShardOfTheirAuthor() {
        for (String name : List.of("Ada", "Grace", "Edsger")) {
            User author = this.users.save(new User(name));
            assertThat(publish(author, 3)).extracting((id) -> this.ids.shardOf(id))
                .containsOnly(this.ids.shardOf(author.getId()));
        }
    }

    @Test
    void areFoundNewestFirstBelowAnId() {
        List<Long> published = publish(this.users.save(new User("Barbara")), 7);
        assertThat(this.photos.findNewest(new IdWindow(0, Long.MAX_VALUE), Limit.of(3))).extracting(Photo::getId)
            .containsExactly(published.get(6), published.get(5), published.get(4));
        assertThat(this.photos.findNewest(new IdWindow(0, published.get(4) - 1), Limit.of(3))).extracting(Photo::getId)
            .containsExactly(published.get(3), published.get(2), published.get(1));
    }

    @Test
    void areFoundInAWindowOfIds() {
        List<Long> published = publish(this.users.save(new User("Donald")), 5);
        assertThat(this.photos.findNewest(new IdWindow(published.get(1), published.get(2)), Limit.of(9)))
            .extracting(Photo::getId)
            .containsExactly(published.get(2), published.get(1));
    }

    @Test
    void areFoundByAuthor() {
        List<Long> own = publish(this.users.save(new User("Frances")), 3);
        User other = this.users.save(new User("Tony"));
        publish(other, 2);
        long author = this.photos.findById(own.get(0)).orElseThrow().getAuthor().getId();
        assertThat(this.photos.findNewestOf(author, new IdWindow(0, own.get(1)), Limit.of(9))).extracting(Photo::getId)
            .containsExactly(own.get(1), own.get(0));
        assertThat(this.photos.countByAuthorId(other.getId())).isEqualTo(2);
    }

    /** Without it, the page of a user reads the photos of everybody. */
    @Test
    void haveAnIndexByAuthorAndId() {
        Map<String, List<String>> columns = new TreeMap<>();
        this.sql.query("""
                select index_name, column_name from information_schema.index_columns
                where table_name = 'PHOTO' order by index_name, ordinal_position""", (row) -> {
            columns.computeIfAbsent(row.getString(1), (index) -> new ArrayList<>()).add(row.getString(2));
        });
        assertThat(columns.values()).contains(List.of("AUTHOR_ID", "ID"));
    }

    @Test
    void areListedInOneStatementThatReadsNoBytes() {
        publish(this.users.save(new User("Radia")), 4);
        Statistics statistics = this.factory.unwrap(SessionFactory.class).getStatistics();
        this.entities.clear();
        statistics.clear();
        this.photos.findNewest(new IdWindow(0, Long.MAX_VALUE), Limit.of(4))
            .forEach((photo) -> assertThat(photo.getAuthor().getName()).isEqualTo("Radia"));
        assertThat(statistics.getPrepareStatementCount()).isEqualTo(1);
        assertThat(statistics.getEntityStatistics(PhotoImage.class.getName()).getLoadCount()).isZero();
    }

    @Test
    void keepTheFileAsItCame() {
        long id = publish(this.users.save(new User("Vint")), 1).get(0);
        assertThat(this.images.findById(id).orElseThrow().getJpeg()).isEqualTo(SampleImages.picture(8, 6).jpeg());
        assertThat(this.images.findById(id + 1)).isEmpty();
    }

    private List<Long> publish(User author, int count) {
        List<Long> published = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Photo photo = this.photos.save(new Photo(author, "photo " + i, 8, 6));
            this.images.save(new PhotoImage(photo, SampleImages.picture(8, 6)));
            published.add(photo.getId());
        }
        this.entities.flush();
        this.entities.clear();
        return published;
    }

}
