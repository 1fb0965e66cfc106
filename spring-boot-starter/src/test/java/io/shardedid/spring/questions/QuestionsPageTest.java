package io.shardedid.spring.questions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import io.shardedid.ShardedIds;
import io.shardedid.spring.boot.OurConfigurations;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;
import jakarta.persistence.EntityManager;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.hibernate.resource.jdbc.spi.StatementInspector;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.DatabaseDriver;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The answers of {@code docs/mapping.md#questions}: each answer that code can show is
 * shown.
 */
@DataJpaTest(properties = { "spring.jpa.properties.hibernate.jdbc.batch_size=50",
        "spring.jpa.properties.hibernate.order_inserts=true", "shardedid.clock.max-ahead=10ms",
        "spring.jpa.properties.hibernate.generate_statistics=true",
        "spring.jpa.properties.hibernate.session_factory.statement_inspector="
                + "io.shardedid.spring.questions.QuestionsPageTest$Statements" })
@Tag("proof")
class QuestionsPageTest {

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

    @BeforeEach
    void forgetStatements() {
        Statements.SEEN.clear();
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
    void selectsBeforeItSavesAnAssignedId() {
        this.plainUploads.saveAndFlush(new PlainUpload(this.ids.nextFor(7L), 7L));

        assertThat(Statements.SEEN).extracting((sql) -> sql.substring(0, 6)).containsExactly("select", "insert");
    }

    @Test
    void savesAnAssignedIdWithoutASelectIfTheEntitySaysThatItIsNew() {
        Upload upload = new UploadService(this.ids, this.uploads).upload(7L);
        this.uploads.flush();

        assertThat(Statements.SEEN).singleElement(InstanceOfAssertFactories.STRING).startsWith("insert");
        this.uploads.saveAndFlush(upload);
        assertThat(this.uploads.count()).isEqualTo(1);
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
    void springRunsTheShippedScript() {
        scripts(runner()).run((context) -> assertThat(context).hasNotFailed());
    }

    @Test
    void engineWaitsForTheScriptsAlsoWithoutAnEntityManagerFactory() {
        scripts(new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DataSourceAutoConfiguration.class, ShardedIdAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                    "shardedid.clock.max-ahead=10ms")
            .withBean(EarlyUser.class)).run((context) -> assertThat(context).hasNotFailed());
    }

    private static ApplicationContextRunner scripts(ApplicationContextRunner runner) {
        return runner.withConfiguration(AutoConfigurations.of(DataSourceInitializationAutoConfiguration.class))
            .withPropertyValues("spring.sql.init.mode=always",
                    "spring.sql.init.schema-locations=classpath:io/shardedid/lease-table-h2.sql",
                    "shardedid.worker.lease.initialize-schema=never");
    }

    @Test
    void migrationIsTheShippedScript() throws IOException {
        String shipped = Files
            .readString(Path.of("..", "generator/src/main/resources/io/shardedid/lease-table-h2.sql"));

        assertThat(Path.of("src/test/resources/db/h2/V2__shardedid_worker.sql")).hasContent(shipped);
    }

    @Test
    void flywayRunsTheScriptOfTheDatabase() {
        runner().withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
            .withPropertyValues("spring.flyway.locations=classpath:db/common,classpath:db/{vendor}",
                    "shardedid.worker.lease.initialize-schema=never")
            .run((context) -> assertThat(context).hasNotFailed());
    }

    @Test
    void vendorsAreTheNamesOfTheShippedScripts() {
        assertThat(List.of(DatabaseDriver.POSTGRESQL, DatabaseDriver.MARIADB, DatabaseDriver.MYSQL, DatabaseDriver.H2))
            .extracting(DatabaseDriver::getId)
            .containsExactly("postgresql", "mariadb", "mysql", "h2")
            .allSatisfy((vendor) -> assertThat(
                    Path.of("..", "generator/src/main/resources/io/shardedid", "lease-table-" + vendor + ".sql"))
                .exists());
    }

    private static ApplicationContextRunner runner() {
        return new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
                    HibernateJpaAutoConfiguration.class, ShardedIdAutoConfiguration.class))
            .withConfiguration(OurConfigurations.named("ShardedIdJpaAutoConfiguration"))
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
