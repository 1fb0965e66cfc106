package io.shardedid.spring.data.jdbc;

import java.util.List;
import java.util.Optional;
import java.util.Set;

import javax.sql.DataSource;

import io.shardedid.IdLayout;
import io.shardedid.ShardKeyException;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.annotation.CreatedBy;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.domain.AuditorAware;
import org.springframework.data.jdbc.core.JdbcAggregateTemplate;
import org.springframework.data.jdbc.core.mapping.AggregateReference;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.data.jdbc.repository.config.EnableJdbcAuditing;
import org.springframework.data.jdbc.repository.config.EnableJdbcRepositories;
import org.springframework.data.relational.core.mapping.Embedded;
import org.springframework.data.relational.core.mapping.Embedded.OnEmpty;
import org.springframework.data.relational.core.mapping.Table;
import org.springframework.data.repository.CrudRepository;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.transaction.PlatformTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Aggregates of Spring Data JDBC, on a real database. */
@Tag("slow")
@SpringBootTest(properties = { "shardedid.worker.mode=fixed", "shardedid.worker.id=9", "shardedid.on-key-change=fail" })
class AggregateIdsTest {

    private static final long USER = 5711;

    @Autowired
    private ShardedIdEngine ids;

    @Autowired
    private JdbcAggregateTemplate aggregates;

    @Autowired
    private Photos photos;

    @Test
    void savesAndReadsBack() {
        Photo photo = this.photos.save(photo(USER));

        assertThat(this.ids.shardOf(photo.id)).isEqualTo(5711 % 2000);
        assertThat(this.ids.parse(photo.id).worker()).isEqualTo(9);
        assertThat(this.photos.findById(photo.id)).map((read) -> read.userId).contains(USER);
    }

    @Test
    void savesManyInTheirOrder() {
        List<Photo> saved = List.of(photo(1), photo(2), photo(1));

        this.photos.saveAll(saved);

        assertThat(saved).extracting((photo) -> this.ids.shardOf(photo.id)).containsExactly(1, 2, 1);
        assertThat(saved.get(2).id).isGreaterThan(saved.get(0).id);
        assertThat(this.photos.findAllById(saved.stream().map((photo) -> photo.id).toList())).hasSize(3);
    }

    @Test
    void savesAgainUnderTheSameId() {
        Photo photo = this.photos.save(photo(USER));
        long id = photo.id;
        photo.caption = "changed";

        assertThat(this.photos.save(photo).id).isEqualTo(id);
        assertThat(this.photos.findById(id)).map((read) -> read.caption).contains("changed");
    }

    @Test
    void returnsACopyOfARecordAndReadsAKeyInAnEmbeddedObject() {
        Note note = new Note(null, new Place("eu"), "text");

        Note saved = this.aggregates.save(note);

        assertThat(note.id()).isNull();
        assertThat(this.ids.shardOf(saved.id())).isEqualTo(this.ids.shardFor("eu"));
        assertThat(this.aggregates.findById(saved.id(), Note.class)).isEqualTo(saved);
    }

    @Test
    void refusesAKeyInAnEmbeddedObjectThatIsNull() {
        assertThatExceptionOfType(ShardKeyException.class)
            .isThrownBy(() -> this.aggregates.save(new Note(null, null, "text")))
            .withMessageContaining("shard key 'place.region' is null");
    }

    @Test
    void refusesAKeyThatIsNull() {
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> this.photos.save(new Photo()))
            .withMessage(
                    "Could not generate id of '%s': shard key 'userId' is null (set it before save, at the latest by "
                        .formatted(Photo.class.getName())
                            + "auditing or in a 'BeforeConvertCallback' with an order of its own); if a row may have none, "
                            + "set '@ShardedId(optionalKey = true)', and the generator chooses the shard");
    }

    /** The shard of another aggregate is handed on, and not computed anew. */
    @Test
    void takesOverTheShardOfAReferredAggregate() {
        Author author = this.aggregates.save(new Author(null, "Ada"));

        Remark remark = this.aggregates.save(new Remark(null, AggregateReference.to(author.id()), "text"));

        assertThat(this.ids.shardOf(remark.id())).isEqualTo(this.ids.shardOf(author.id()));
        assertThat(this.ids.shardForPlain(author.id())).isNotEqualTo(this.ids.shardOf(author.id()));
    }

    @Test
    void takesOverTheShardOfAScalarAndWritesAText() {
        Photo photo = this.photos.save(photo(USER));

        Reply reply = this.aggregates.save(new Reply(null, photo.id));

        assertThat(reply.id()).hasSize(19);
        assertThat(this.ids.shardOf(Long.parseLong(reply.id()))).isEqualTo(this.ids.shardOf(photo.id));
    }

    @Test
    void letsARowWithoutItsOptionalKeyFoundAShard() {
        Page root = this.aggregates.save(new Page(null, null));
        Page child = this.aggregates.save(new Page(null, root.id()));

        assertThat(this.ids.shardOf(child.id())).isEqualTo(this.ids.shardOf(root.id()));
    }

    @Test
    void takesZeroInAPrimitiveForNone() {
        Visit visit = this.aggregates.save(new Visit());

        assertThat(visit.id).isPositive();
        assertThat(this.aggregates.findById(visit.id, Visit.class)).isNotNull();
    }

    /** Spring Data takes an aggregate with an id for a stored one, and updates no row. */
    @Test
    void savesNothingUnderAnIdThatWasSetByHand() {
        Photo photo = photo(USER);
        photo.id = this.ids.nextFor(USER);

        this.photos.save(photo);

        assertThat(this.photos.findById(photo.id)).isEmpty();
    }

    @Test
    void insertsUnderAnIdThatWasSetByHand() {
        Photo photo = photo(USER);
        photo.id = this.ids.nextFor(USER);

        this.aggregates.insert(photo);

        assertThat(this.photos.findById(photo.id)).isPresent();
    }

    @Test
    void refusesTheIdOfANewAggregate() {
        long id = this.ids.nextFor(USER);

        assertThatExceptionOfType(ShardKeyException.class)
            .isThrownBy(() -> this.aggregates.save(new Upload(id, USER, null)))
            .withMessage("Could not generate 'id' of '%s': it is set already, to '%s'; leave it null, or say "
                .formatted(Upload.class.getName(), id)
                    + "'@ShardedId(allowAssigned = true)' to keep ids that 'ShardedIds' made");
        assertThat(this.aggregates.findById(id, Upload.class)).isNull();
    }

    @Test
    void keepsTheIdOfANewAggregateWhereItMay() {
        long id = this.ids.nextFor(USER);

        this.aggregates.save(new KeptUpload(id, USER, null));

        assertThat(this.aggregates.findById(id, KeptUpload.class)).extracting(KeptUpload::userId).isEqualTo(USER);
    }

    @Test
    void refusesToInsertAnIdOfAnotherShard() {
        long id = this.ids.next(3);

        assertThatExceptionOfType(ShardKeyException.class)
            .isThrownBy(() -> this.aggregates.insert(new KeptUpload(id, USER, null)))
            .withMessage(("Could not insert '%s': shard key 'userId' must lead to the shard of the id when the row is "
                    + "written: id=%s, shard of the id=3, shard of the key=1711 (the id was assigned, or a later callback "
                    + "changed the key); assign ids.nextFor(key), or set the key before save")
                .formatted(KeptUpload.class.getName(), id));
        assertThat(this.aggregates.findById(id, KeptUpload.class)).isNull();
    }

    @Test
    void refusesToInsertAnIdOfTheFuture() {
        IdLayout layout = this.ids.layout();
        long tick = layout.tickAt(this.ids.clock().instant().plusSeconds(3600));
        long id = layout.compose(tick, 1711, 0, 0);

        assertThatExceptionOfType(ShardKeyException.class)
            .isThrownBy(() -> this.aggregates.insert(new KeptUpload(id, USER, null)))
            .withMessageContaining("its time must have come");
    }

    @Test
    void refusesAnUpdateThatTakesTheKeyToAnotherShard() {
        Photo photo = this.photos.save(photo(USER));
        photo.userId = 12L;

        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> this.photos.save(photo))
            .withMessage(
                    ("Could not update '%s': shard key 'userId' must stay in the shard of its row: id=%s, shard of the "
                            + "id=1711, shard of the key=12 (shardedid.on-key-change=fail); insert the row anew and delete this "
                            + "one, or set 'shardedid.on-key-change' to allow")
                        .formatted(Photo.class.getName(), photo.id));
    }

    @Test
    void refusesAnUpdateThatTakesTheKeyAway() {
        Photo photo = this.photos.save(photo(USER));
        photo.userId = null;

        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> this.photos.save(photo))
            .withMessageContaining("shard key 'userId' must stay in the shard of its row");
    }

    /** Auditing is a callback that comes before ours. */
    @Test
    void readsAKeyThatAuditingSets() {
        Signed signed = this.aggregates.save(new Signed());

        assertThat(this.ids.shardOf(signed.id)).isEqualTo(42);
    }

    /** Entities inside an aggregate have the ids of their own table. */
    @Test
    void leavesEntitiesInsideAnAggregateAlone() {
        Album album = this.aggregates.save(new Album(null, USER, Set.of(new Picture(null, "dawn"))));

        assertThat(this.ids.shardOf(album.id())).isEqualTo(1711);
        assertThat(this.aggregates.findById(album.id(), Album.class).pictures()).extracting(Picture::title)
            .containsExactly("dawn");
    }

    private static Photo photo(long userId) {
        Photo photo = new Photo();
        photo.userId = userId;
        return photo;
    }

    interface Photos extends CrudRepository<Photo, Long> {

    }

    @Table
    static class Photo {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        Long userId;

        String caption;

    }

    @Table
    record Author(@Id @ShardedId Long id, String name) {

    }

    @Table
    record Note(@Id @ShardedId(shardKey = "place.region") Long id,
            @Embedded(onEmpty = OnEmpty.USE_NULL, prefix = "place_") Place place, String text) {

    }

    record Place(String region) {

    }

    @Table
    record Remark(@Id @ShardedId(shardKey = "author") Long id, AggregateReference<Author, Long> author, String text) {

    }

    @Table
    record Reply(@Id @ShardedId(colocateWith = "photoId") String id, Long photoId) {

    }

    @Table
    record Page(@Id @ShardedId(colocateWith = "parent", optionalKey = true) Long id, Long parent) {

    }

    @Table
    static class Visit {

        @Id
        @ShardedId(shardKey = "place")
        long id;

        int place;

    }

    @Table
    record Upload(@Id @ShardedId(shardKey = "userId") Long id, Long userId, @Version Integer version) {

    }

    @Table
    record KeptUpload(@Id @ShardedId(shardKey = "userId", allowAssigned = true) Long id, Long userId,
            @Version Integer version) {

    }

    @Table
    static class Signed {

        @Id
        @ShardedId(shardKey = "signer")
        Long id;

        @CreatedBy
        Long signer;

    }

    @Table
    record Album(@Id @ShardedId(shardKey = "userId") Long id, Long userId, Set<Picture> pictures) {

    }

    @Table
    record Picture(@Id Long id, String title) {

    }

    @Configuration(proxyBeanMethods = false)
    @EnableJdbcRepositories(considerNestedRepositories = true)
    @EnableJdbcAuditing
    @ImportAutoConfiguration({ ShardedIdAutoConfiguration.class, ShardedIdDataJdbcAutoConfiguration.class })
    static class Application extends AbstractJdbcConfiguration {

        @Bean
        DataSource dataSource() {
            return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2)
                .generateUniqueName(true)
                .addScript("data-jdbc.sql")
                .build();
        }

        @Bean
        NamedParameterJdbcOperations jdbcOperations(DataSource dataSource) {
            return new NamedParameterJdbcTemplate(dataSource);
        }

        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }

        @Bean
        AuditorAware<Long> auditor() {
            return () -> Optional.of(42L);
        }

    }

}
