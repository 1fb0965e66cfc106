package io.shardedid.spring.questions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIds;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;
import io.shardedid.spring.boot.ShardedIdJpaAutoConfiguration;
import jakarta.persistence.EntityManager;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.resource.jdbc.spi.StatementInspector;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The answers of {@code docs/questions.md}: each code block of the page is a part of this
 * package, and each answer that code can show is shown.
 */
@DataJpaTest(properties = { "spring.jpa.properties.hibernate.jdbc.batch_size=50",
        "spring.jpa.properties.hibernate.order_inserts=true", "shardedid.clock.max-ahead=10ms",
        "spring.jpa.properties.hibernate.generate_statistics=true",
        "spring.jpa.properties.hibernate.session_factory.statement_inspector="
                + "io.shardedid.spring.questions.QuestionsPageTest$Statements" })
class QuestionsPageTest {

    private static final Path SOURCES = Path.of("src/test/java/io/shardedid/spring/questions");

    private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    private static final Pattern PROPERTIES = Pattern.compile("```properties\n(.*?)```", Pattern.DOTALL);

    @Autowired
    private ShardedIds ids;

    @Autowired
    private Pictures pictures;

    @Autowired
    private Uploads uploads;

    @Autowired
    private PlainUploads plainUploads;

    @Autowired
    private EntityManager entities;

    @Autowired
    private JdbcTemplate jdbc;

    @BeforeEach
    void forgetStatements() {
        Statements.SEEN.clear();
    }

    @Test
    void pageShowsCodeOfThisPackage() throws IOException {
        String sources = sources();
        List<String> blocks = blocks(BLOCK);

        assertThat(blocks).hasSizeGreaterThan(5).allSatisfy((block) -> {
            String imports = block.lines()
                .filter((line) -> line.startsWith("import "))
                .collect(Collectors.joining("\n"));
            assertThat(imports.lines()).allSatisfy((line) -> assertThat(sources).contains(line));
            assertThat(sources).contains(words(block.substring(imports.length())));
        });
    }

    @Test
    void pageShowsPropertiesOfThisPackage() throws IOException {
        String sources = sources();

        assertThat(blocks(PROPERTIES)).hasSize(3)
            .allSatisfy((block) -> assertThat(block.lines()).allSatisfy((line) -> assertThat(sources)
                .contains('"' + line.replace("lease-table-postgresql", "lease-table-h2") + '"')));
    }

    private static List<String> blocks(Pattern kind) throws IOException {
        return kind.matcher(Files.readString(Path.of("..", "docs", "questions.md")))
            .results()
            .map((MatchResult block) -> block.group(1))
            .toList();
    }

    private static String sources() throws IOException {
        StringBuilder sources = new StringBuilder();
        try (Stream<Path> files = Files.list(SOURCES)) {
            for (Path file : files.sorted().toList()) {
                sources.append(words(Files.readString(file))).append(' ');
            }
        }
        return sources.toString();
    }

    /** The formatter of the sources breaks lines where the page does not. */
    private static String words(String text) {
        return text.strip().replaceAll("\\s+", " ");
    }

    @Test
    void equalsHoldsBeforeAndAfterTheIdIsThere() {
        Picture picture = new Picture(7L);
        Set<Picture> album = new HashSet<>(List.of(picture, new Picture(7L)));
        assertThat(album).hasSize(2);

        this.pictures.saveAndFlush(picture);
        assertThat(album.contains(picture)).isTrue();

        this.entities.clear();
        assertThat(this.entities.getReference(Picture.class, picture.getId())).isEqualTo(picture);
        assertThat(picture).isEqualTo(this.pictures.findById(picture.getId()).orElseThrow());
    }

    @Test
    void lombokDataLosesARowInASet() {
        LombokPicture picture = new LombokPicture(7L);
        Set<LombokPicture> album = new HashSet<>(List.of(picture));

        this.entities.persist(picture);

        assertThat(album.contains(picture)).isFalse();
    }

    @Test
    void numbersOfDifferentTypesAreNeverEqual() {
        Picture picture = new Picture(1L);

        assertThat(Objects.equals(picture.getUserId(), 1)).isFalse();
        assertThat(Objects.equals(picture.getUserId(), 1L)).isTrue();
    }

    @Test
    void savesANewRowWithoutASelect() {
        this.pictures.saveAndFlush(new Picture(7L));

        assertThat(Statements.SEEN).singleElement().asString().startsWith("insert");
    }

    @Test
    void selectsBeforeItSavesAnAssignedId() {
        this.plainUploads.saveAndFlush(new PlainUpload(this.ids.nextFor(7L), 7L));

        assertThat(Statements.SEEN).extracting((sql) -> sql.substring(0, 6)).containsExactly("select", "insert");
    }

    @Test
    void savesAnAssignedIdWithoutASelectIfTheEntitySaysThatItIsNew() {
        Long userId = 7L;
        Upload upload = new Upload(this.ids.nextFor(userId), userId);
        this.uploads.save(upload);
        this.uploads.flush();

        assertThat(Statements.SEEN).singleElement().asString().startsWith("insert");
        this.uploads.saveAndFlush(upload);
        assertThat(this.uploads.count()).isEqualTo(1);
    }

    @Test
    void ordersInsertsIntoBatches() {
        for (int i = 0; i < 100; i++) {
            Owner owner = new Owner();
            this.entities.persist(owner);
            this.entities.persist(new Album(owner));
        }
        long before = prepared();
        this.entities.flush();

        assertThat(prepared() - before).isLessThanOrEqualTo(4);
    }

    private long prepared() {
        return this.entities.getEntityManagerFactory()
            .unwrap(SessionFactoryImplementor.class)
            .getStatistics()
            .getPrepareStatementCount();
    }

    @Test
    void insertsAtTheFlush() {
        Picture picture = this.pictures.save(new Picture(7L));

        assertThat(picture.getId()).isPositive();
        assertThat(rows()).isZero();
        this.pictures.flush();
        assertThat(rows()).isOne();
    }

    private Long rows() {
        return this.jdbc.queryForObject("select count(*) from questions_picture", Long.class);
    }

    @Test
    void findsByAPublicId() {
        Picture picture = this.pictures.saveAndFlush(new Picture(7L));
        this.entities.clear();

        assertThat(this.pictures.findByPublicId(picture.getPublicId())).contains(picture);
    }

    @Test
    void superclassGivesEachEntityAnotherKey() {
        Owner owner = new Owner();
        Album album = new Album(owner);
        Remark remark = new Remark(album);
        Stream.of(owner, album, remark).forEach(this.entities::persist);

        assertThat(List.of(album.getId(), remark.getId())).extracting(this.ids::shardOf)
            .containsOnly(this.ids.shardOf(owner.getId()));
    }

    @Test
    void listOfTheParentWritesTheForeignKeyAndTheChildReadsIt() {
        Owner owner = new Owner();
        this.entities.persist(owner);
        Album album = new Album(owner);
        album.add(new Page());
        album.add(new Page());
        this.entities.persist(album);
        this.entities.flush();
        this.entities.clear();

        Album found = this.entities.find(Album.class, album.getId());
        assertThat(found.getPages()).hasSize(2)
            .allSatisfy((page) -> assertThat(this.ids.shardOf(page.getId())).isEqualTo(this.ids.shardOf(album.getId())))
            .allSatisfy((page) -> assertThat(page.album).isSameAs(found));
    }

    @Test
    void refusesAChildBeforeItsParent() {
        Album album = new Album(new Owner());

        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> this.entities.persist(album))
            .withMessageContaining("persist the parent first");
    }

    @Test
    void mergeGivesTheIdToTheCopy() {
        Owner owner = new Owner();
        this.entities.persist(owner);
        this.entities.flush();
        this.entities.clear();

        Album album = new Album(owner);
        Album stored = this.entities.merge(album);

        assertThat(album.getId()).isNull();
        assertThat(this.ids.shardOf(stored.getId())).isEqualTo(this.ids.shardOf(owner.getId()));
    }

    @Test
    void browserRoundsALargeNumber() {
        long id = 9_007_199_254_740_993L;

        assertThat((long) (double) id).isEqualTo(9_007_199_254_740_992L);
    }

    @Test
    void springRunsTheShippedScript() {
        runner().withConfiguration(AutoConfigurations.of(DataSourceInitializationAutoConfiguration.class))
            .withPropertyValues("spring.sql.init.mode=always",
                    "spring.sql.init.schema-locations=classpath:io/shardedid/worker/lease-table-h2.sql",
                    "shardedid.worker.lease.initialize-schema=never")
            .run((context) -> assertThat(context).hasNotFailed());
    }

    @Test
    void migrationIsTheShippedScript() throws IOException {
        String shipped = Files
            .readString(Path.of("..", "generator/src/main/resources/io/shardedid/worker/lease-table-h2.sql"));

        assertThat(Path.of("src/test/resources/db/h2/V2__shardedid_worker.sql")).hasContent(shipped);
    }

    @Test
    void flywayRunsTheScriptOfTheDatabase() {
        runner().withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
            .withPropertyValues("spring.flyway.locations=classpath:db/common,classpath:db/{vendor}",
                    "shardedid.worker.lease.initialize-schema=never")
            .run((context) -> assertThat(context).hasNotFailed());
    }

    private static ApplicationContextRunner runner() {
        return new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DataSourceAutoConfiguration.class, HibernateJpaAutoConfiguration.class,
                            ShardedIdAutoConfiguration.class, ShardedIdJpaAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                    "spring.jpa.hibernate.ddl-auto=none", "shardedid.clock.max-ahead=10ms",
                    "spring.flyway.enabled=true")
            .withBean(EarlyUser.class);
    }

    /** Wants the engine before the auto-configurations have had their turn. */
    static class EarlyUser {

        EarlyUser(ShardedIds ids) {
            ids.next();
        }

    }

    /** What Hibernate prepares; static, because Hibernate creates it. */
    public static class Statements implements StatementInspector {

        private static final long serialVersionUID = 1L;

        static final List<String> SEEN = Collections.synchronizedList(new ArrayList<>());

        @Override
        public String inspect(String sql) {
            SEEN.add(sql);
            return sql;
        }

    }

}
