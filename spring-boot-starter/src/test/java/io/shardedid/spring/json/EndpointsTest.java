package io.shardedid.spring.json;

import io.shardedid.ShardedIdEngine;
import io.shardedid.spring.gallery.GalleryApplication;
import io.shardedid.spring.test.PredictableIds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/** Numbers that are no members: the log names the endpoint that returned them. */
@WebMvcTest
@ContextConfiguration(classes = GalleryApplication.class)
@PredictableIds
@DirtiesContext
class EndpointsTest {

    @RegisterExtension
    private final LinesAboutNumbers log = new LinesAboutNumbers();

    @Autowired
    private MockMvcTester web;

    @Autowired
    private ShardedIdEngine ids;

    @Test
    void eachIsNamedOnceWithItsEndpoint() {
        for (int i = 0; i < 2; i++) {
            for (String path : new String[] { "/lists/", "/maps/", "/bare/" }) {
                long id = this.ids.next(7);
                assertThat(this.web.get().uri(path + id)).hasStatusOk().bodyText().contains(Long.toString(id));
            }
        }

        assertThat(this.log.lines).hasSize(3);
        assertThat(this.log.lines.get(0)).contains("an element of a list of 'GET /lists/{id}'");
        assertThat(this.log.lines.get(1)).contains("a value of a map of 'GET /maps/{id}'");
        assertThat(this.log.lines.get(2)).contains("a bare value of 'GET /bare/{id}'");
    }

}
