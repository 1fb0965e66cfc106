package io.shardedid.sample.browser;

import java.util.List;

import io.shardedid.PublicId;
import io.shardedid.PublicIdForm;
import io.shardedid.ShardedIds;
import io.shardedid.format.PublicIdFormats;
import io.shardedid.jackson.JsonShardedId;
import io.shardedid.tools.Needs;
import io.shardedid.tools.Tool;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Controller;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.ResponseBody;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What becomes of ids in a browser: JavaScript reads them from JSON exactly, and a sealed
 * link opens a photo.
 */
@Tag("proof")
@Tag("nightly")
@Needs(Tool.BROWSER)
@ExtendWith(BrowserParameter.class)
@Import(PublicIdsIT.Links.class)
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = { "spring.datasource.url=jdbc:h2:mem:public-ids",
                "shardedid.sealing.keys[0]=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=" })
class PublicIdsIT {

    private Browser browser;

    @Autowired
    private PublicIdFormats formats;

    @BeforeEach
    void open(Browser opened) {
        this.browser = opened;
        this.browser.visit("/");
    }

    @Test
    void anIdAbove2To53IsAString() {
        List<Object> seen = fetched();

        assertThat(seen.get(0)).isEqualTo("string");
        assertThat(seen.get(1)).isEqualTo(seen.get(2));
        assertThat(Long.parseLong((String) seen.get(2))).isGreaterThan(1L << 53);
        assertThat(this.browser.complaints()).isEmpty();
    }

    @Test
    void aSealedLinkOpensAndAChangedOneIsRefused() {
        String photo = this.browser.find(".card").getDomAttribute("data-photo");
        String link = this.formats.forEntity(SharedPhoto.class).format(Long.parseLong(photo));
        assertThat(link).matches("pho_.{22}").doesNotContain(photo);

        this.browser.visit("/shared/" + link);

        assertThat(this.browser.path()).isEqualTo("/shared/" + link);
        assertThat(this.browser.find("article.single").getDomAttribute("data-photo")).isEqualTo(photo);
        assertThat(this.browser.complaints()).isEmpty();
        char changed = (link.charAt(12) == 'x') ? 'y' : 'x';
        for (String other : List.of(link.substring(0, 12) + changed + link.substring(13), photo)) {
            this.browser.visit("/shared/" + other);

            assertThat(this.browser.text(".status")).isEqualTo("400");
            assertThat(this.browser.count("article.single")).isZero();
            assertThat(this.browser.complaints()).singleElement()
                .asString()
                .endsWith("the server responded with a status of 400 ()");
        }
    }

    @Nested
    @TestPropertySource(properties = { "spring.datasource.url=jdbc:h2:mem:below-2-53",
            "shardedid.layout.preset=javascript", "shardedid.json.as-string=false" })
    class WithThePresetJavascript {

        @Test
        void anIdIsANumber() {
            List<Object> seen = fetched();

            assertThat(seen.get(0)).isEqualTo("number");
            assertThat(seen.get(1)).isEqualTo(seen.get(2));
            assertThat(Long.parseLong((String) seen.get(2))).isBetween(1L << 40, (1L << 53) - 1);
            assertThat(PublicIdsIT.this.browser.complaints()).isEmpty();
        }

    }

    /** What the id of a row is in JavaScript, how it writes it there, and its digits. */
    @SuppressWarnings("unchecked")
    List<Object> fetched() {
        return (List<Object>) this.browser.script(
                "return fetch('/made').then((answer) => answer.json()).then((row) => [typeof row.id, String(row.id), row.digits])");
    }

    /** The name under which photos are shared. */
    @PublicId(prefix = "pho_", form = PublicIdForm.SEALED, tag = "Photo")
    static final class SharedPhoto {

    }

    /**
     * A row as JSON.
     *
     * @param id the id
     * @param digits the same as text, whatever becomes of ids
     */
    record Row(@JsonShardedId long id, String digits) {
    }

    @Controller
    static class Links {

        private final ShardedIds ids;

        Links(ShardedIds ids) {
            this.ids = ids;
        }

        @GetMapping("/made")
        @ResponseBody
        Row made() {
            long id = this.ids.next();
            return new Row(id, Long.toString(id));
        }

        @GetMapping("/shared/{id}")
        String shared(@PathVariable @JsonShardedId(SharedPhoto.class) long id) {
            return "forward:/photos/" + id;
        }

    }

}
