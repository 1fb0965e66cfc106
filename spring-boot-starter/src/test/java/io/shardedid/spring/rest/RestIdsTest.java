package io.shardedid.spring.rest;

import java.util.List;

import com.jayway.jsonpath.JsonPath;
import io.shardedid.format.PublicIdFormat;
import io.shardedid.format.PublicIdFormats;
import io.shardedid.jackson.JsonShardedId;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestComponent;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.FilterType;
import org.springframework.context.annotation.Import;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.data.repository.Repository;
import org.springframework.data.repository.query.Param;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Sealed ids in all URIs of Spring Data REST. */
@Tag("slow")
@SpringBootTest(classes = RestApplication.class,
        properties = { "shardedid.worker.mode=fixed", "shardedid.worker.id=23", "spring.jpa.open-in-view=false",
                "shardedid.sealing.keys=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=" })
@AutoConfigureMockMvc
@Import(RestIdsTest.Own.class)
class RestIdsTest {

    @Autowired
    private MockMvcTester web;

    @Autowired
    private PublicIdFormats formats;

    @Autowired
    private Albums albums;

    @Autowired
    private Sheets sheets;

    private PublicIdFormat sealed;

    private String album;

    private String albumNumber;

    private String sheet;

    private String sheetNumber;

    @BeforeEach
    void store() {
        this.sealed = this.formats.forEntity(Album.class);
        Album stored = this.albums.save(new Album());
        Sheet page = new Sheet();
        page.setAlbum(stored);
        page = this.sheets.save(page);
        this.albumNumber = Long.toString(stored.getId());
        this.album = this.sealed.format(stored.getId());
        this.sheetNumber = Long.toString(page.getId());
        this.sheet = this.formats.forEntity(Sheet.class).format(page.getId());
    }

    @Test
    void locationAndLinksAndBodyOfWhatIsMadeHaveTheText() throws Exception {
        MvcTestResult made = send(HttpMethod.POST, "/albums", "{\"title\":\"a\"}");

        assertThat(made).hasStatus(HttpStatus.CREATED);
        String location = String.valueOf(made.getResponse().getHeader(HttpHeaders.LOCATION));
        String text = location.substring(location.lastIndexOf('/') + 1);
        assertThat(text).startsWith("alb_");
        String body = this.web.get().uri("/albums/" + text).exchange().getResponse().getContentAsString();
        assertThat(JsonPath.<String>read(body, "$._links.self.href")).isEqualTo(location);
        assertThat(JsonPath.<String>read(body, "$._links.sheets.href")).isEqualTo(location + "/sheets");
        assertThat(body).doesNotContain(Long.toString(this.sealed.parse(text)));
    }

    @Test
    void itemIsOpenedAndChangedAndDeletedByItsTextAlone() {
        for (String bad : List.of(this.albumNumber, "0x" + Long.toHexString(Long.parseLong(this.albumNumber)),
                this.album + "A", this.sheet)) {
            for (HttpMethod method : List.of(HttpMethod.GET, HttpMethod.PUT, HttpMethod.PATCH, HttpMethod.DELETE)) {
                assertThat(send(method, "/albums/" + bad, "{\"title\":\"b\"}")).as("%s %s", method, bad)
                    .hasStatus(HttpStatus.NOT_FOUND);
            }
        }

        assertThat(this.web.get().uri("/albums/" + this.album)).hasStatusOk();
        assertThat(send(HttpMethod.PUT, "/albums/" + this.album, "{\"title\":\"c\"}")).hasStatus(HttpStatus.NO_CONTENT);
        assertThat(send(HttpMethod.PATCH, "/albums/" + this.album, "{\"title\":\"d\"}"))
            .hasStatus(HttpStatus.NO_CONTENT);
        assertThat(this.albums.findById(this.sealed.parse(this.album)).orElseThrow().getTitle()).isEqualTo("d");
        assertThat(send(HttpMethod.DELETE, "/sheets/" + this.sheet, "")).hasStatus(HttpStatus.NO_CONTENT);
        assertThat(this.sheets.existsById(Long.parseLong(this.sheetNumber))).isFalse();
    }

    /** It copies by paths, so an id would become a text that the client reads. */
    @Test
    void patchByPathsIsRefused() {
        String copy = "[{\"op\":\"copy\",\"from\":\"/id\",\"path\":\"/title\"}]";

        assertThat(this.web.patch()
            .uri("/albums/" + this.album)
            .contentType(MediaType.parseMediaType("application/json-patch+json"))
            .content(copy)).hasStatus(HttpStatus.UNSUPPORTED_MEDIA_TYPE);

        assertThat(this.albums.findById(this.sealed.parse(this.album)).orElseThrow().getTitle()).isNull();
        assertThat(this.web.patch()
            .uri("/albums/" + this.album)
            .contentType(MediaType.parseMediaType("application/merge-patch+json"))
            .content("{\"title\":\"merged\"}")).hasStatus(HttpStatus.NO_CONTENT);
    }

    @Test
    void controllerOfTheApplicationMayTakeAPatchByPaths() {
        assertThat(this.web.patch()
            .uri("/own/albums?id=7")
            .contentType(MediaType.parseMediaType("application/json-patch+json"))
            .content("[]")).hasStatusOk().hasBodyTextEqualTo("albums");
    }

    @RestController
    @TestComponent
    static class Own {

        @PatchMapping("/own/{repository}")
        String patch(@PathVariable String repository) {
            return repository;
        }

    }

    /** Nor by an attribute of Querydsl. */
    @Test
    void queryByTheNumberFindsNothing() {
        for (String uri : List.of("/albums/search/findOneById?id=" + this.albumNumber, "/albums?id=" + this.albumNumber,
                "/sheets?album.id=" + this.albumNumber)) {
            assertThat(this.web.get().uri(uri)).as(uri).hasStatus(HttpStatus.NOT_FOUND);
        }
        assertThat(this.web.get().uri("/sheets?size=1&sort=id")).hasStatusOk();
    }

    @Test
    void exportedQueryWithAMarkEndsTheStart() {
        assertThatThrownBy(() -> new SpringApplicationBuilder(RestApplication.class, Marked.class)
            .properties("shardedid.worker.mode=fixed", "shardedid.worker.id=24", "spring.jpa.open-in-view=false",
                    "server.port=0", "spring.main.banner-mode=off",
                    "shardedid.sealing.keys=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
            .run()).rootCause()
            .hasMessageStartingWith("Query '" + Marked.Opening.class.getName()
                    + ".findOneById' would take the number of an id: form=sealed");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableJpaRepositories(considerNestedRepositories = true, basePackageClasses = Marked.class,
            includeFilters = @Filter(type = FilterType.ASSIGNABLE_TYPE, classes = Marked.Opening.class))
    static class Marked {

        public interface Opening extends Repository<Album, Long> {

            Album findOneById(@Param("id") @JsonShardedId(Album.class) Long id);

        }

    }

    @Test
    void bodyRefersToAnItemByItsTextAlone() {
        assertThat(send(HttpMethod.POST, "/sheets", "{\"album\":\"http://localhost/albums/%s\"}".formatted(this.album)))
            .hasStatus(HttpStatus.CREATED);
        assertThat(send(HttpMethod.POST, "/sheets",
                "{\"album\":\"http://localhost/albums/%s\"}".formatted(this.albumNumber)))
            .hasStatus(HttpStatus.BAD_REQUEST);
        assertThat(refer(this.album)).hasStatus(HttpStatus.NO_CONTENT);
        assertThat(refer(this.albumNumber)).hasStatus(HttpStatus.NOT_FOUND);
    }

    @Test
    void associationIsFollowedByItsTextAlone() throws Exception {
        MvcTestResult all = this.web.get().uri("/albums/%s/sheets".formatted(this.album)).exchange();

        assertThat(all).hasStatusOk();
        assertThat(all.getResponse().getContentAsString()).contains("/sheets/" + this.sheet + "\"")
            .doesNotContain(this.albumNumber, this.sheetNumber);
        assertThat(this.web.get().uri("/albums/%s/sheets/%s".formatted(this.album, this.sheet))).hasStatusOk();
        for (HttpMethod method : List.of(HttpMethod.GET, HttpMethod.DELETE)) {
            assertThat(send(method, "/albums/%s/sheets/%s".formatted(this.album, this.sheetNumber), ""))
                .hasStatus(HttpStatus.NOT_FOUND);
        }
    }

    @Test
    void plainNumbersStayWhatTheyAre() {
        MvcTestResult made = send(HttpMethod.POST, "/guests", "{}");

        assertThat(made).hasStatus(HttpStatus.CREATED);
        String location = String.valueOf(made.getResponse().getHeader(HttpHeaders.LOCATION));
        assertThat(location).matches("http://localhost/guests/[0-9]+");
        assertThat(this.web.get().uri(location)).hasStatusOk();
    }

    @Test
    void projectionHasTheTextOfItsEntity() throws Exception {
        String guest = String
            .valueOf(send(HttpMethod.POST, "/guests", "{}").getResponse().getHeader(HttpHeaders.LOCATION));

        assertThat(id(get("/albums/%s?projection=number".formatted(this.album)))).isEqualTo(this.album);
        assertThat(id(get(guest + "?projection=number"))).isEqualTo(guest.substring(guest.lastIndexOf('/') + 1));
    }

    private static Object id(String body) {
        return JsonPath.read(body, "$.id");
    }

    private String get(String uri) throws Exception {
        return this.web.get().uri(uri).exchange().getResponse().getContentAsString();
    }

    private MvcTestResult refer(String text) {
        return this.web.put()
            .uri("/sheets/%s/album".formatted(this.sheet))
            .contentType(MediaType.parseMediaType("text/uri-list"))
            .content("http://localhost/albums/" + text)
            .exchange();
    }

    private MvcTestResult send(HttpMethod method, String uri, String body) {
        return this.web.method(method).uri(uri).contentType(MediaType.APPLICATION_JSON).content(body).exchange();
    }

}
