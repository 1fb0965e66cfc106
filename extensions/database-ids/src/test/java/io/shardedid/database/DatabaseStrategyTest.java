package io.shardedid.database;

import java.io.StringWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.shardedid.ShardedId;
import io.shardedid.ShardedIdConfigurationException;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToOne;
import jakarta.persistence.SecondaryTable;
import org.hibernate.AnnotationException;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.Formula;
import org.hibernate.boot.MetadataSources;
import org.hibernate.boot.registry.StandardServiceRegistry;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.junit.jupiter.api.Test;

import static io.shardedid.IdStrategy.DATABASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Ids that the database makes: what a trigger cannot do is refused while the session
 * factory is built, and the schema export writes the triggers. No database is asked; real
 * ones are in {@code DatabaseStrategyContract}.
 */
class DatabaseStrategyTest {

    private static final String HERE = DatabaseStrategyTest.class.getName() + "$";

    private static Map<String, Object> settings(String dialect, Map<String, ?> more) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("hibernate.dialect", "org.hibernate.dialect." + dialect);
        settings.put("hibernate.boot.allow_jdbc_metadata_access", "false");
        settings.put("hibernate.hbm2ddl.auto", "none");
        settings.put("shardedid.worker.mode", "none");
        settings.putAll(more);
        return settings;
    }

    private static SessionFactory unit(Map<String, ?> settings, Class<?>... entities) {
        StandardServiceRegistry registry = new StandardServiceRegistryBuilder().applySettings(Map.copyOf(settings))
            .build();
        try {
            MetadataSources sources = new MetadataSources(registry);
            List.of(entities).forEach(sources::addAnnotatedClass);
            return sources.buildMetadata().buildSessionFactory();
        }
        catch (RuntimeException ex) {
            StandardServiceRegistryBuilder.destroy(registry);
            throw ex;
        }
    }

    private static void refused(String message, Class<?>... entities) {
        refused(Map.of(), message, entities);
    }

    private static void refused(Map<String, ?> settings, String message, Class<?>... entities) {
        assertThatExceptionOfType(AnnotationException.class)
            .isThrownBy(() -> unit(settings("PostgreSQLDialect", settings), entities).close())
            .withMessage(message.replace("HERE.", HERE));
    }

    private static void refusedKey(String path, String entity, String why, Class<?>... entities) {
        refused("Shard key '%s' of '@ShardedId' on 'HERE.%s.id' %s; name another key, or use strategy APPLICATION"
            .formatted(path, entity, why), entities);
    }

    @Test
    void refusesOtherDatabases() {
        assertThatExceptionOfType(AnnotationException.class)
            .isThrownBy(() -> unit(settings("H2Dialect", Map.of()), Keyless.class).close())
            .withMessage("'@ShardedId(strategy = DATABASE)' on '" + HERE + "Keyless.id' needs PostgreSQL: "
                    + "dialect=org.hibernate.dialect.H2Dialect; use strategy APPLICATION");
    }

    @Test
    void refusesToKeepAssignedIds() {
        refused("'@ShardedId(strategy = DATABASE)' on 'HERE.Assigned.id' cannot keep assigned ids: "
                + "allowAssigned=true; leave that out, or use strategy APPLICATION", Assigned.class);
    }

    @Test
    void refusesTexts() {
        refused("'@ShardedId(strategy = DATABASE)' on 'HERE.TextId.id' must be a number: type=java.lang.String (long, "
                + "Long); change the type, or use strategy APPLICATION", TextId.class);
    }

    @Test
    void refusesATablePerClass() {
        refused("'@ShardedId(strategy = DATABASE)' on 'HERE.Shape.id' cannot be inherited by a table per class, which "
                + "would be a trigger each; use strategy APPLICATION, or another inheritance", Shape.class,
                Circle.class);
    }

    @Test
    void refusesAKeyInAnotherTable() {
        refusedKey("userId", "InTwoTables",
                "is not in the row that gets the id: table='Details', table of the id='InTwoTables'",
                InTwoTables.class);
    }

    @Test
    void refusesAFormula() {
        refusedKey("userId", "OfFormula", "must be one column: columns=[1 + 1]", OfFormula.class);
    }

    @Test
    void refusesAConvertedKey() {
        refusedKey("flag", "Converted",
                "is stored as a trigger cannot read it: type=java.lang.String (integers, texts, enums by their names "
                        + "and UUIDs in columns of such a type, without a converter)",
                Converted.class);
    }

    @Test
    void refusesAnEnumByItsPlace() {
        refusedKey("color", "OfOrdinal",
                ("is stored as a trigger cannot read it: type=%sColor (integers, texts, enums by their names and UUIDs "
                        + "in columns of such a type, without a converter)")
                    .formatted(HERE),
                OfOrdinal.class);
    }

    @Test
    void refusesTheOtherSideOfAOneToOne() {
        refusedKey("avatar", "Owner", "does not lead to the id of a target by a column of this row", Owner.class,
                Avatar.class);
    }

    @Test
    void refusesAnAssociationByAnotherColumn() {
        refusedKey("user", "ByEmail", "does not lead to the id of a target by a column of this row", ByEmail.class,
                User.class);
    }

    @Test
    void refusesAPartOfACompositeTarget() {
        refusedKey("parent.id.number", "OfPart", "must be one column: columns=[parent_number, parent_other]",
                OfPart.class, Parts.class);
    }

    @Test
    void refusesATargetWithTexts() {
        refusedKey("parent", "OfTextTarget", "must lead to an id that is a number: type=java.lang.String",
                OfTextTarget.class, TextTarget.class);
    }

    @Test
    void refusesAFunctionOfTheApplication() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> unit(
                settings("PostgreSQLDialect", Map.of("shardedid.shard-function", new io.shardedid.ShardFunction() {
                    @Override
                    public int shardOf(Object key, int shards) {
                        return 0;
                    }

                    @Override
                    public String id() {
                        return "mine";
                    }
                })), Keyed.class)
            .close())
            .withMessage("A database knows the shard functions modulo and hash: shardedid.shard-function='mine'");
    }

    @Test
    void refusesBothStrategiesInALayoutWithoutWorkers() {
        assertThatExceptionOfType(AnnotationException.class)
            .isThrownBy(() -> unit(settings("PostgreSQLDialect",
                    Map.of("shardedid.layout.preset", "instagram-exact", "shardedid.worker.mode", "fixed",
                            "shardedid.worker.id", "0")),
                    Keyed.class, ByApplication.class)
                .close())
            .withMessageMatching("'@ShardedId' on '.*(Keyed|ByApplication)\\.id' and on "
                    + "'.*(Keyed|ByApplication)\\.id' have different strategies, (DATABASE and APPLICATION|APPLICATION "
                    + "and DATABASE), and ids of this layout do not tell who made them: layout=.*,worker=0,.*; use one "
                    + "strategy, or a layout with worker bits");
    }

    @Test
    void letsTheDatabaseAloneWriteInALayoutWithoutWorkers() {
        unit(settings("PostgreSQLDialect",
                Map.of("shardedid.layout.preset", "instagram-exact", "shardedid.worker.mode", "lease")), Keyed.class)
            .close();
    }

    @Test
    void refusesTheWorkerOfTheDatabase() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(
                    () -> unit(
                            settings("PostgreSQLDialect",
                                    Map.of("shardedid.worker.mode", "fixed", "shardedid.worker.id", "127")),
                            Keyed.class)
                        .close())
            .withMessage("worker must be in [0, 126] (worker-bits=7; 127 is reserved for ids made by the database): "
                    + "shardedid.worker.id=127");
    }

    @Test
    void refusesNumbersWhereWorkersAreDrawnByChance() {
        refused(Map.of("shardedid.worker.mode", "random"), "'@ShardedId' on 'HERE.Keyless.id' must be a UUID: "
                + "shardedid.worker.mode=random (duplicate ids would be likely in 64 bits); change the type to UUID, or set "
                + "'shardedid.worker.mode' to 'lease'", Keyless.class);
    }

    @Test
    void writesFunctionsAndTriggerIntoTheScript() {
        StringWriter create = new StringWriter();
        StringWriter drop = new StringWriter();
        unit(settings("PostgreSQLDialect",
                Map.of("jakarta.persistence.schema-generation.scripts.action", "drop-and-create",
                        "jakarta.persistence.schema-generation.scripts.create-target", create,
                        "jakarta.persistence.schema-generation.scripts.drop-target", drop)),
                Keyed.class)
            .close();
        assertThat(create.toString()).containsSubsequence("create table Keyed",
                "CREATE SEQUENCE IF NOT EXISTS %s.shardedid_cell",
                "CREATE OR REPLACE FUNCTION HOME_SCHEMA.shardedid_next(",
                "CREATE OR REPLACE FUNCTION HOME_SCHEMA.\"shardedid_on_Keyed\"()",
                "CREATE OR REPLACE TRIGGER \"shardedid_on_Keyed\" " + "BEFORE INSERT ON Keyed");
        assertThat(drop.toString())
            .containsSubsequence("DROP TRIGGER IF EXISTS \"shardedid_on_Keyed\" ON Keyed",
                    "DROP FUNCTION IF EXISTS \"shardedid_on_Keyed\"()", "DROP FUNCTION IF EXISTS shardedid_next()")
            .doesNotContain("DROP SEQUENCE");
    }

    @Test
    void writesNothingWithoutSuchAnEntity() {
        StringWriter create = new StringWriter();
        unit(settings("PostgreSQLDialect",
                Map.of("jakarta.persistence.schema-generation.scripts.action", "create",
                        "jakarta.persistence.schema-generation.scripts.create-target", create)),
                ByApplication.class)
            .close();
        assertThat(create.toString()).contains("create table ByApplication").doesNotContain("shardedid_");
    }

    enum Color {

        RED

    }

    @Entity(name = "Keyless")
    static class Keyless {

        @Id
        @ShardedId(strategy = DATABASE)
        Long id;

    }

    @Entity(name = "Keyed")
    static class Keyed {

        @Id
        @ShardedId(shardKey = "userId", strategy = DATABASE)
        Long id;

        long userId;

    }

    @Entity(name = "ByApplication")
    static class ByApplication {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        long userId;

    }

    @Entity(name = "Assigned")
    static class Assigned {

        @Id
        @ShardedId(strategy = DATABASE, allowAssigned = true)
        Long id;

    }

    @Entity(name = "TextId")
    static class TextId {

        @Id
        @ShardedId(strategy = DATABASE)
        String id;

    }

    @Entity(name = "Shape")
    @Inheritance(strategy = InheritanceType.TABLE_PER_CLASS)
    abstract static class Shape {

        @Id
        @ShardedId(strategy = DATABASE)
        Long id;

    }

    @Entity(name = "Circle")
    static class Circle extends Shape {

    }

    @Entity(name = "InTwoTables")
    @SecondaryTable(name = "Details")
    static class InTwoTables {

        @Id
        @ShardedId(shardKey = "userId", strategy = DATABASE)
        Long id;

        @Column(table = "Details")
        long userId;

    }

    @Entity(name = "OfFormula")
    static class OfFormula {

        @Id
        @ShardedId(shardKey = "userId", strategy = DATABASE)
        Long id;

        @Formula("1 + 1")
        Long userId;

    }

    static class Trimmed implements jakarta.persistence.AttributeConverter<String, String> {

        @Override
        public String convertToDatabaseColumn(String attribute) {
            return attribute.trim();
        }

        @Override
        public String convertToEntityAttribute(String column) {
            return column;
        }

    }

    @Entity(name = "Converted")
    static class Converted {

        @Id
        @ShardedId(shardKey = "flag", strategy = DATABASE)
        Long id;

        @Convert(converter = Trimmed.class)
        String flag;

    }

    @Entity(name = "OfOrdinal")
    static class OfOrdinal {

        @Id
        @ShardedId(shardKey = "color", strategy = DATABASE)
        Long id;

        @Enumerated
        Color color;

    }

    @Entity(name = "Owner")
    static class Owner {

        @Id
        @ShardedId(shardKey = "avatar", strategy = DATABASE)
        Long id;

        @OneToOne(mappedBy = "owner")
        Avatar avatar;

    }

    @Entity(name = "Avatar")
    static class Avatar {

        @Id
        Long id;

        @OneToOne
        Owner owner;

    }

    @Entity(name = "DbsUser")
    static class User implements java.io.Serializable {

        private static final long serialVersionUID = 1L;

        @Id
        Long id;

        @Column(unique = true)
        String email;

    }

    @Entity(name = "ByEmail")
    static class ByEmail {

        @Id
        @ShardedId(shardKey = "user", strategy = DATABASE)
        Long id;

        @ManyToOne
        @JoinColumn(referencedColumnName = "email")
        User user;

    }

    @Embeddable
    static class PlainParts {

        Long number;

        Long other;

    }

    @Entity(name = "Parts")
    static class Parts {

        @EmbeddedId
        PlainParts id;

    }

    @Entity(name = "OfPart")
    static class OfPart {

        @Id
        @ShardedId(shardKey = "parent.id.number", strategy = DATABASE)
        Long id;

        @ManyToOne
        Parts parent;

    }

    @Entity(name = "TextTarget")
    static class TextTarget {

        @Id
        @ShardedId
        String id;

    }

    @Entity(name = "OfTextTarget")
    static class OfTextTarget {

        @Id
        @ShardedId(shardKey = "parent", strategy = DATABASE)
        Long id;

        @ManyToOne
        TextTarget parent;

    }

}
