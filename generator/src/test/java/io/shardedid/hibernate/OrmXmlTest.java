package io.shardedid.hibernate;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Consumer;

import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import io.shardedid.internal.config.ShardedIdSettings;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.hibernate.AnnotationException;
import org.hibernate.Version;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Entities that {@code orm.xml} declares, wholly or in part. The annotation itself has no
 * form in XML, it stays on the member.
 */
class OrmXmlTest {

    private static final String HERE = OrmXmlTest.class.getName() + "$";

    private static String document(String content) {
        return "<entity-mappings xmlns=\"https://jakarta.ee/xml/ns/persistence/orm\" version=\"3.0\">" + content
                + "</entity-mappings>";
    }

    private static void mapped(String document, Consumer<TestUnit> work) {
        try (ShardedIdEngine ids = TestUnit.engine(1);
                TestUnit unit = TestUnit.mapped(Map.of(ShardedIdSettings.ENGINE, ids), (sources) -> sources
                    .addInputStream(new ByteArrayInputStream(document.getBytes(StandardCharsets.UTF_8))))) {
            work.accept(unit);
        }
    }

    @Test
    void identifierDeclaredInXml() {
        mapped(document(
                "<entity class=\"%sDeclared\" access=\"FIELD\"><attributes><id name=\"id\"/></attributes></entity>"
                    .formatted(HERE)),
                (unit) -> {
                    Declared entity = new Declared();
                    entity.userId = 61;
                    unit.persist(entity);
                    assertThat(ShardedIdService.idsOf(unit.factory).shardOf(entity.id)).isEqualTo(61);
                });
    }

    @Test
    void columnChangedInXml() {
        mapped(document(
                "<entity class=\"%sAnnotated\" access=\"FIELD\"><attributes><id name=\"id\"><column name=\"photo_id\"/></id>"
                    .formatted(HERE) + "</attributes></entity>"),
                (unit) -> {
                    Annotated entity = new Annotated();
                    entity.userId = 62;
                    unit.persist(entity);
                    assertThat(ShardedIdService.idsOf(unit.factory).shardOf(entity.id)).isEqualTo(62);
                    assertThat(unit.jdbc.drain()).last().asString().contains("photo_id");
                });
    }

    @Test
    void metadataCompleteOfAnEntityDropsTheAnnotation() {
        dropped("<entity class=\"%sDeclared\" access=\"FIELD\" metadata-complete=\"true\"><attributes>".formatted(HERE)
                + "<id name=\"id\"/><basic name=\"userId\"/></attributes></entity>");
    }

    @Test
    void metadataCompleteOfTheUnitDropsTheAnnotation() {
        dropped("<persistence-unit-metadata><xml-mapping-metadata-complete/></persistence-unit-metadata>"
                + "<entity class=\"%sDeclared\" access=\"FIELD\"><attributes>".formatted(HERE)
                + "<id name=\"id\"/><basic name=\"userId\"/></attributes></entity>");
    }

    private static void dropped(String entity) {
        if (Version.getVersionString().startsWith("6.")) {
            // which keeps it
            mapped(document(entity), (unit) -> unit.persist(new Declared()));
            return;
        }
        assertThatExceptionOfType(AnnotationException.class).isThrownBy(() -> mapped(document(entity), (unit) -> {
        })).withMessageContainingAll(HERE + "Declared.id", "@MapsId");
    }

    static class Declared {

        @ShardedId(shardKey = "userId")
        Long id;

        long userId;

    }

    @Entity
    static class Annotated {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        long userId;

    }

}
