package io.shardedid.spring.feed;

import java.util.List;

import io.shardedid.ShardedIdEngine;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(properties = { "shardedid.worker.mode=fixed", "shardedid.worker.id=21",
        "shardedid.clock.max-ahead=10ms", "shardedid.shards=64" })
class FeedApplicationTest {

    @Autowired
    private ShardedIdEngine ids;

    @Autowired
    private Authors authors;

    @Autowired
    private Photos photos;

    @Autowired
    private JsonMapper json;

    @Test
    void storesPhotosAndReadsThemNewestFirst() throws Exception {
        Author author = this.authors.save(new Author());
        List<Photo> stored = this.photos
            .saveAll(List.of(new Photo(author, "one"), new Photo(author, "two"), new Photo(author, "three")));

        List<Photo> found = this.photos.findAllByOrderByIdDesc();

        assertThat(found).extracting(Photo::getCaption).containsExactly("three", "two", "one");
        assertThat(found).allMatch((photo) -> this.ids.shardOf(photo.getId()) == this.ids.shardOf(author.getId()));
        assertThat(this.json.writeValueAsString(author)).isEqualTo("{\"id\":\"" + author.getId() + "\"}");
        assertThat(stored).extracting(Photo::getId).isSorted();
        assertThat(this.ids.shards()).isEqualTo(64);
    }

}
