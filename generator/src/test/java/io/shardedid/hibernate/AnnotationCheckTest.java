package io.shardedid.hibernate;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.MapsId;
import jakarta.persistence.OneToOne;
import jakarta.persistence.Transient;
import org.hibernate.AnnotationException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Annotations that Hibernate would pass over without a word.
 */
class AnnotationCheckTest {

    private static final String HERE = AnnotationCheckTest.class.getName() + "$";

    private static void refused(String fields, Class<?>... entities) {
        try (ShardedIdEngine ids = TestUnit.engine(1)) {
            assertThatExceptionOfType(AnnotationException.class).isThrownBy(() -> TestUnit.with(ids, entities).close())
                .withMessageContainingAll(fields.replace("HERE.", HERE).split(" \\| "));
        }
    }

    private static void refusedOn(String attribute, Class<?>... entities) {
        refused("HERE." + attribute + " | @MapsId", entities);
    }

    @Test
    void getterUnderFieldAccess() {
        refusedOn("OnGetter.id", OnGetter.class);
    }

    @Test
    void fieldUnderPropertyAccess() {
        refusedOn("OnField.id", OnField.class);
    }

    @Test
    void transientAttribute() {
        refusedOn("OnTransient.publicId", OnTransient.class);
    }

    @Test
    void columnThatIsNotInserted() {
        refused("insertable=false | HERE.NotInserted.publicId | inserted", NotInserted.class);
        refused("insertable=false | HERE.NeverWritten.publicId | inserted", NeverWritten.class);
    }

    /** An id class repeats all of its columns. */
    @Test
    void embeddableThatSharesOneColumnWithTheKey() {
        refused("numbers | SharesAColumn | move", SharesAColumn.class);
    }

    @Test
    void associationThatIsTheId() {
        refusedOn("OnAssociation.parent", Parent.class, OnAssociation.class);
    }

    @Test
    void idThatMapsIdTakesFromAnotherEntity() {
        refusedOn("OnSharedId.id", Parent.class, OnSharedId.class);
    }

    /** Hibernate ignores it beside an annotation of the kind that ours is. */
    @Test
    void warnsOfGeneratedValue() {
        List<String> warnings = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {

            @Override
            public void publish(LogRecord entry) {
                warnings.add(entry.getLevel() + " " + entry.getMessage());
            }

            @Override
            public void flush() {
                // nothing is kept
            }

            @Override
            public void close() {
                // nothing is open
            }

        };
        Logger logger = Logger.getLogger("io.shardedid.hibernate.AnnotationCheck");
        logger.addHandler(handler);
        try (ShardedIdEngine ids = TestUnit.engine(28);
                TestUnit unit = TestUnit.with(ids, Generated.class, Parent.class)) {
            Generated row = new Generated();
            unit.persist(row);
            assertThat(ids.layout().workerOf(row.id)).isEqualTo(28);
        }
        finally {
            logger.removeHandler(handler);
        }
        assertThat(warnings).singleElement()
            .asString()
            .contains("WARNING", "numbers", Generated.class.getName() + ".id", "remove");
    }

    @Test
    void superclassThatIsNotMapped() {
        refusedOn("OfUnmapped.publicId", OfUnmapped.class);
    }

    @Test
    void elementOfACollection() {
        refused("HERE.Line.number | HERE.WithLines.lines | element", WithLines.class);
    }

    @Entity
    static class OnGetter {

        @Id
        Long id;

        @ShardedId
        public Long getId() {
            return this.id;
        }

        public void setId(Long id) {
            this.id = id;
        }

    }

    @Entity
    static class OnField {

        @ShardedId
        private Long id;

        @Id
        public Long getId() {
            return this.id;
        }

        public void setId(Long id) {
            this.id = id;
        }

    }

    @Entity
    static class OnTransient {

        @Id
        Long id;

        @Transient
        @ShardedId
        Long publicId;

    }

    @Entity
    static class NotInserted {

        @Id
        Long id;

        @Column(insertable = false)
        @ShardedId
        Long publicId;

    }

    @Entity
    static class NeverWritten {

        @Id
        Long id;

        @Column(insertable = false, updatable = false)
        @ShardedId
        Long publicId;

    }

    @Embeddable
    static class Numbers {

        @Column(name = "id", insertable = false, updatable = false)
        Long first;

        Long second;

    }

    @Embeddable
    static class Outer {

        @ShardedId
        Numbers numbers;

    }

    @Entity(name = "SharesAColumn")
    static class SharesAColumn {

        @Id
        Long id;

        Outer outer;

    }

    @Entity
    static class Parent {

        @Id
        @ShardedId
        Long id;

    }

    @Entity
    static class OnAssociation {

        @Id
        @ManyToOne
        @ShardedId
        Parent parent;

    }

    static class Unmapped {

        @ShardedId
        Long publicId;

    }

    @Entity
    static class OfUnmapped extends Unmapped {

        @Id
        Long id;

    }

    @Embeddable
    static class Line {

        @ShardedId
        Long number;

    }

    @Entity
    static class WithLines {

        @Id
        Long id;

        @ElementCollection
        List<Line> lines;

    }

    @Entity
    static class OnSharedId {

        @Id
        @ShardedId
        Long id;

        @MapsId
        @OneToOne
        Parent parent;

    }

    @Entity
    static class Generated {

        @Id
        @GeneratedValue(generator = "numbers")
        @ShardedId
        Long id;

    }

}
