package io.shardedid.spring.feed;

import io.shardedid.ShardedIdEngine;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.boot.jpa.test.autoconfigure.TestEntityManager;

import static org.assertj.core.api.Assertions.assertThat;

@DataJpaTest(properties = { "shardedid.worker.mode=fixed", "shardedid.worker.id=20", "shardedid.clock.max-ahead=10ms" })
class FeedDataJpaTest {

    @Autowired
    private ShardedIdEngine ids;

    @Autowired
    private Authors authors;

    @Autowired
    private Photos photos;

    @Autowired
    private TestEntityManager entities;

    @Test
    void photoLivesInTheShardOfItsAuthor() {
        Author author = this.authors.save(new Author());
        Photo photo = this.photos.save(new Photo(author, "dawn"));
        this.entities.flush();
        this.entities.clear();

        assertThat(this.photos.findById(photo.getId())).get().extracting(Photo::getCaption).isEqualTo("dawn");
        assertThat(this.ids.shardOf(photo.getId())).isEqualTo(this.ids.shardOf(author.getId()));
        assertThat(this.ids.parse(photo.getId()).worker()).isEqualTo(20);
    }

}
