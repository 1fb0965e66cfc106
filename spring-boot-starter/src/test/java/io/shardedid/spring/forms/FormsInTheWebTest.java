package io.shardedid.spring.forms;

import java.util.List;
import java.util.Locale;

import io.shardedid.format.PublicIdFormat;
import io.shardedid.format.PublicIdFormats;
import io.shardedid.format.SealingKeys;
import io.shardedid.spring.test.PredictableIds;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Ids of an application in the forms that it has configured.
 */
@SpringBootTest(classes = FormsApplication.class,
        properties = { "spring.mvc.problemdetails.enabled=true", "shardedid.form=crockford",
                "shardedid.sealing.keys[0]=" + FormsInTheWebTest.KEY,
                "shardedid.sealing.keys[1]=" + FormsInTheWebTest.OLD_KEY })
@AutoConfigureMockMvc
@PredictableIds
class FormsInTheWebTest {

    static final String KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    static final String OLD_KEY = "EBESExQVFhcYGRobHB0eHw==";

    private static final String REFUSED = "an id must be a text as it was given out";

    @Autowired
    private MockMvcTester web;

    @Autowired
    private Snapshots snapshots;

    @Autowired
    private PublicIdFormats formats;

    private PublicIdFormat sealed;

    private long id;

    private String text;

    @BeforeEach
    void store() {
        this.sealed = this.formats.forEntity(Snapshot.class);
        Snapshot snapshot = new Snapshot();
        snapshot.setOwner(7);
        this.id = this.snapshots.save(snapshot).getId();
        this.text = this.sealed.format(this.id);
    }

    @Test
    void sealedLinkOpensTheRow() {
        assertThat(this.text).matches("sna_.{22}");
        assertThat(this.web.get().uri("/snapshots/" + this.text)).hasStatusOk().bodyJson().isStrictlyEqualTo("""
                {"id":"%s","owner":"0000000000007"}""".formatted(this.text));
    }

    @Test
    void parametersAndFormsAndLinksHaveTheFormOfTheirEntity() {
        String other = this.sealed.format(5);

        assertThat(this.web.get()
            .uri("/numbers?ids=%s,%s&after=%s&owner=000000000000g".formatted(this.text, other, other))).hasStatusOk()
            .hasBodyTextEqualTo("ids=[%s, 5], after=5, owner=16".formatted(this.id));
        assertThat(this.web.get().uri("/numbers?ids=" + other)).hasBodyTextEqualTo("ids=[5], after=null, owner=null");
        assertThat(this.web.get().uri("/search?after=" + other)).hasBodyTextEqualTo("after=5");
        assertThat(this.web.get().uri("/link?number=" + this.id)).hasBodyTextEqualTo("/snapshots/" + this.text);
    }

    @Test
    void bodiesHaveTheFormsOfTheirMembers() {
        String view = "{\"id\":\"%1$s\",\"next\":[\"%1$s\"],\"owner\":\"0000000000007\",\"views\":3}"
            .formatted(this.text);

        assertThat(this.web.post().uri("/views").contentType(MediaType.APPLICATION_JSON).content(view)).hasStatusOk()
            .bodyJson()
            .isStrictlyEqualTo(view);
    }

    @Test
    void projectionsOfRepositoriesHaveThemWithoutBeingAsked() {
        assertThat(this.web.get().uri("/owners/0000000000007/snapshots")).hasStatusOk()
            .bodyText()
            .contains("\"id\":\"%s\"".formatted(this.text), "\"owner\":\"0000000000007\"");
    }

    @Test
    void keyOfYesterdayOpens() {
        String old = PublicIdFormat.sealed(SealingKeys.of(OLD_KEY), "Snapshot").prefixed("sna_").format(this.id);

        assertThat(this.web.get().uri("/snapshots/" + old)).hasStatusOk()
            .bodyJson()
            .extractingPath("id")
            .isEqualTo(this.text);
    }

    /** Whatever is wrong with a text: the answer is the same. */
    @Test
    void textThatIsNoneIs400AndRevealsNothing() {
        SealingKeys keys = SealingKeys.of(KEY);
        String foreign = PublicIdFormat.sealed(keys, "Owner").prefixed("sna_").format(this.id);
        String removedKey = PublicIdFormat.sealed(SealingKeys.of("ICEiIyQlJicoKSorLC0uLw=="), "Snapshot")
            .prefixed("sna_")
            .format(this.id);
        for (String bad : List.of(Long.toString(this.id), this.formats.withoutEntity().format(this.id),
                "own_" + this.text.substring(4), this.text.substring(4), foreign, removedKey, this.text + "A",
                this.text.substring(0, 25), this.text.toUpperCase(Locale.ROOT), "x", "sna_")) {
            assertThat(this.web.get().uri("/snapshots/" + bad)).as(bad)
                .hasStatus(HttpStatus.BAD_REQUEST)
                .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
                .bodyJson()
                .isStrictlyEqualTo("""
                        {"title":"Not an id","status":400,"instance":"/snapshots/%1$s",
                        "detail":"Could not read 'id': id=%1$s (%2$s); correct it"}""".formatted(bad, REFUSED));
            refusedBody("{\"id\":\"%s\"}".formatted(bad),
                    "Could not read the id 'id' of the body: id=%s (%s); correct it".formatted(bad, REFUSED));
        }
        refusedBody("{\"next\":[7]}",
                "Could not read the id 'next[0]' of the body: next[0]=7 (%s); correct it".formatted(REFUSED));
    }

    /**
     * Spring Data loads the entity, and would take the number in all that Spring reads as
     * one.
     */
    @Test
    void entityIsLoadedByItsTextAlone() {
        assertThat(this.web.get().uri("/entities/" + this.text)).hasStatusOk().hasBodyTextEqualTo("id=" + this.id);
        assertThat(this.web.get().uri("/entities?snapshots=%1$s,%1$s".formatted(this.text))).hasStatusOk()
            .hasBodyTextEqualTo("ids=[%1$s, %1$s]".formatted(this.id));
        for (String number : List.of(Long.toString(this.id), "+" + this.id, "0x" + Long.toHexString(this.id),
                Long.toString(this.id).replace('1', '\u0661'), this.sealed.format(8).substring(4))) {
            assertThat(this.web.get().uri("/entities/{id}", number)).as(number).hasStatus(HttpStatus.BAD_REQUEST);
            assertThat(this.web.get().uri("/entities?snapshots={id}", number)).as(number)
                .hasStatus(HttpStatus.BAD_REQUEST);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "?ids=7", "?ids=sna_x", "?ids=&after=7", "?ids=&owner=7", "?ids=&owner=000000000000U" })
    void parameterThatIsNoneIs400(String query) {
        assertThat(this.web.get().uri("/numbers" + query)).hasStatus(HttpStatus.BAD_REQUEST)
            .bodyJson()
            .satisfies((json) -> assertThat(json).extractingPath("title").isEqualTo("Not an id"))
            .extractingPath("detail")
            .satisfies((detail) -> assertThat(String.valueOf(detail)).endsWith(" (" + REFUSED + "); correct it"));
    }

    @Test
    void openApiDescribesTheForms() throws Exception {
        String api = this.web.get().uri("/v3/api-docs").exchange().getResponse().getContentAsString();
        String sealedId = "{\"type\":\"string\",\"pattern\":\"^sna_[A-D][0-9A-Za-z_-]{21}$\"}";
        String crockford = "{\"type\":\"string\",\"pattern\":\"^[0-7][0-9A-HJKMNP-TV-Z]{12}$\"}";

        assertThat(api)
            .contains("\"name\":\"id\",\"in\":\"path\",\"required\":true,\"schema\":" + sealedId,
                    "\"name\":\"owner\",\"in\":\"query\",\"required\":false,\"schema\":" + crockford,
                    "\"name\":\"ids\",\"in\":\"query\",\"required\":true,\"schema\":{\"type\":\"array\",\"items\":"
                            + sealedId)
            .contains("\"Snapshot\":{\"type\":\"object\",\"properties\":{\"id\":%s,\"owner\":%s}}".formatted(sealedId,
                    crockford))
            .contains("\"SnapshotView\":{\"type\":\"object\",\"properties\":{\"id\":" + sealedId
                    + ",\"next\":{\"type\":" + "\"array\",\"items\":" + sealedId + "},\"owner\":" + crockford);
    }

    private void refusedBody(String body, String detail) {
        assertThat(this.web.post().uri("/views").contentType(MediaType.APPLICATION_JSON).content(body))
            .hasStatus(HttpStatus.BAD_REQUEST)
            .bodyJson()
            .extractingPath("detail")
            .isEqualTo(detail);
    }

}
