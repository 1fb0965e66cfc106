package io.shardedid.hibernate;

import java.util.Map;
import java.util.stream.Stream;

import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import io.shardedid.internal.config.ShardedIdSettings;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import org.hibernate.AnnotationException;
import org.hibernate.Version;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Mappings that cannot work: refused while the session factory is built, with a message
 * that names what there is.
 */
class MappingRefusalTest {

    /**
     * Refused before an engine is opened. The last line of a case has what the message
     * names.
     */
    private static final String WRONG_KEYS = """
            misspelt
            @Entity class Misspelt { @Id @ShardedId(shardKey = "userID") Long id; long userId; String caption; }
            -> Misspelt | userID

            transient
            @Entity class OfTransient { @Id @ShardedId(shardKey = "userId") Long id; @Transient long userId; }
            -> OfTransient | userId

            of a subclass
            @Entity class Base { @Id @ShardedId(shardKey = "userId") Long id; }
            @Entity class Sub extends Base { long userId; }
            -> Base | userId | subclass

            unknown attribute of an embeddable
            @Entity class OfEmbeddableAttribute { @Id @ShardedId(shardKey = "address.zip") Long id; Address address; }
            -> Address | zip

            whole embeddable
            @Entity class OfEmbeddable { @Id @ShardedId(shardKey = "address") Long id; Address address; }
            -> address | OfEmbeddable.id | address.region

            path below a scalar
            @Entity class BelowScalar { @Id @ShardedId(shardKey = "userId.value") Long id; long userId; }
            -> userId.value | BelowScalar.id

            other attribute of an association
            @Entity class BeyondId { @Id @ShardedId(shardKey = "author.name") Long id; @ManyToOne User author; }
            -> author.name | BeyondId.id

            type that the shard function does not know
            @Entity class OfDouble { @Id @ShardedId(shardKey = "score") Long id; double score; }
            -> type=java.lang.Double | score | shardedid.shard-function

            collection
            @Entity class OfCollection { @Id @ShardedId(shardKey = "tags") Long id; @ElementCollection Set<String> tags; }
            -> tags | OfCollection.id | attribute

            the generated attribute itself
            @Entity class OfItself { @Id @ShardedId(shardKey = "id") Long id; }
            -> id | OfItself.id | attribute

            shardKey and colocateWith
            @Entity class Both { @Id @ShardedId(shardKey = "userId", colocateWith = "photoId") Long id; long userId; long photoId; }
            -> shardKey="userId" | colocateWith="photoId"

            colocateWith a type that holds no id
            @Entity class ColocatedWithDouble { @Id @ShardedId(colocateWith = "score") Long id; double score; }
            -> type=java.lang.Double | score | shardKey

            colocateWith an association
            @Entity class ColocatedWithAssociation { @Id @ShardedId(colocateWith = "author") Long id; @ManyToOne User author; }
            -> author | colocateWith | shardKey = "author"

            two paths
            @Entity class TwoPaths { @Id @ShardedId(shardKey = "tenant,userId") Long id; String tenant; Long userId; }
            -> tenant,userId | TwoPaths.id | attribute

            formula
            @Entity class OfFormula { @Id @ShardedId(shardKey = "region") Long id; @Formula("upper('eu')") String region; }
            -> region | OfFormula.id | attribute

            version
            @Entity class OfVersion { @Id @ShardedId(shardKey = "version") Long id; @Version Long version; }
            -> version | OfVersion.id | attribute

            side of an association without a column
            @Entity class OfInverse { @Id @ShardedId(shardKey = "owner") Long id; @OneToOne(mappedBy = "owned") Owner owner; }
            @Entity class Owner { @Id Long id; @OneToOne OfInverse owned; }
            -> mappedBy | owner | attribute

            never written
            @Entity class OfUnwritten { @Id @ShardedId(shardKey = "userId") Long id; @Column(insertable = false) Long userId; }
            -> userId | OfUnwritten.id | insertable=false | attribute

            association that is never written
            @Entity class OfUnwrittenAssociation { @Id @ShardedId(shardKey = "user") Long id;
                @ManyToOne @JoinColumn(insertable = false, updatable = false) User user; }
            -> user | OfUnwrittenAssociation.id | insertable=false | attribute

            empty segment
            @Entity class EmptySegment { @Id @ShardedId(shardKey = ".userId") Long id; long userId; }
            -> EmptySegment | @ShardedId(shardKey)

            part of an id class
            record PetNumber(long petId, Long number) { }
            @Entity @IdClass(PetNumber.class) class OfIdClass { @Id long petId; @Id @ShardedId(shardKey = "pet") Long number; }
            -> OfIdClass | pet

            id that is an association
            @Entity class GeneratedAssociation { @Id Long id; @ShardedId @ManyToOne User author; }
            -> type=written.User | GeneratedAssociation.author | EmbeddedId

            id that is an embeddable
            @Entity class OnEmbeddable { @Id Long id; @ShardedId Address address; }
            -> type=written.Address | OnEmbeddable.address | EmbeddedId

            id that is a collection
            @Entity class OnCollection { @Id Long id; @ShardedId @ElementCollection Set<String> tags; }
            -> type=java.util.Set | OnCollection.tags | EmbeddedId
            """;

    /** Annotations that Hibernate would pass over without a word. */
    private static final String PASSED_OVER = """
            getter under field access
            @Entity class OnGetter { @Id Long id;
                @ShardedId public Long getId() { return this.id; } public void setId(Long id) { this.id = id; } }
            -> OnGetter.id | @MapsId

            field under property access
            @Entity class OnField { @ShardedId private Long id;
                @Id public Long getId() { return this.id; } public void setId(Long id) { this.id = id; } }
            -> OnField.id | @MapsId

            transient id
            @Entity class OnTransient { @Id Long id; @Transient @ShardedId Long publicId; }
            -> OnTransient.publicId | @MapsId

            id that is not inserted
            @Entity class NotInserted { @Id Long id; @Column(insertable = false) @ShardedId Long publicId; }
            -> insertable=false | NotInserted.publicId | inserted

            id that is never written
            @Entity class NeverWritten { @Id Long id; @Column(insertable = false, updatable = false) @ShardedId Long publicId; }
            -> insertable=false | NeverWritten.publicId | inserted

            embeddable that shares one column with the key, as an id class does
            @Embeddable class Numbers { @Column(name = "id", insertable = false, updatable = false) Long first; Long second; }
            @Embeddable class Outer { @ShardedId Numbers numbers; }
            @Entity class SharesAColumn { @Id Long id; Outer outer; }
            -> numbers | SharesAColumn | move

            association that is the id
            @Entity class OnAssociation { @Id @ManyToOne @ShardedId Parent parent; }
            -> OnAssociation.parent | @MapsId

            id that MapsId takes from another entity
            @Entity class OnSharedId { @Id @ShardedId Long id; @MapsId @OneToOne Parent parent; }
            -> OnSharedId.id | @MapsId

            superclass that is not mapped
            class Unmapped { @ShardedId Long publicId; }
            @Entity class OfUnmapped extends Unmapped { @Id Long id; }
            -> OfUnmapped.publicId | @MapsId

            element of a collection
            @Embeddable class Line { @ShardedId Long number; }
            @Entity class WithLines { @Id Long id; @ElementCollection List<Line> lines; }
            -> Line.number | WithLines.lines | element

            whole id behind an association
            @Entity class OfWhole { @Id @ShardedId(shardKey = "passport") Long id; @ManyToOne Passport passport; /* Person */ }
            -> passport | OfWhole.id | passport.person

            beyond the id behind an association
            @Entity class BehindId { @Id @ShardedId(shardKey = "passport.person.login") Long id;
                @ManyToOne Passport passport; /* Person */ }
            -> passport.person.login | BehindId.id

            id that is an Integer
            @Entity class WithInteger { @Id @ShardedId Integer id; }
            -> WithInteger.id | type=java.lang.Integer | @EmbeddedId

            id that is an Instant
            @Entity class WithInstant { @Id @ShardedId java.time.Instant id; }
            -> WithInstant.id | type=java.time.Instant | @EmbeddedId

            optional key that is none
            @Entity class OptionalNone { @Id @ShardedId(optionalKey = true) Long id; }
            -> optionalKey | OptionalNone.id

            optional key that is a primitive
            @Entity class OptionalPrimitive { @Id @ShardedId(shardKey = "userId", optionalKey = true) Long id; long userId; }
            -> optionalKey | OptionalPrimitive.id

            id in an embeddable
            @Embeddable class Numbered { @ShardedId Long publicId; }
            @Entity class EmbeddingRow { @Id Long id; Numbered numbered; }
            -> publicId | EmbeddingRow | move
            """;

    private static final WrittenEntities WRITTEN = WrittenEntities.ofCases("""
            @Entity class User { @Id Long id; String name; }
            @Embeddable class Address { int region; double score; }
            @Entity class Parent { @Id @ShardedId Long id; }
            @Entity class Person implements Serializable { @Id @ShardedId Long id; String login; }
            @Entity class Passport implements Serializable { @Id @OneToOne Person person; }
            """, WRONG_KEYS, PASSED_OVER);

    static Stream<Arguments> wrongKeys() {
        return WrittenEntities.cases(WRONG_KEYS);
    }

    static Stream<Arguments> passedOver() {
        return WrittenEntities.cases(PASSED_OVER);
    }

    /**
     * By these settings no engine can be opened, so the mapping has been checked before.
     */
    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongKeys")
    void refusesAWrongKey(String name, String source, String fields) {
        refuses(Map.of("shardedid.worker.mode", "fixed"), source, fields);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("passedOver")
    void refusesAnAnnotationThatHibernatePassesOver(String name, String source, String fields) {
        try (ShardedIdEngine ids = TestUnit.engine(1)) {
            refuses(Map.of(ShardedIdSettings.ENGINE, ids), source, fields);
        }
    }

    private static void refuses(Map<String, ?> settings, String source, String fields) {
        assertThatExceptionOfType(AnnotationException.class)
            .isThrownBy(() -> TestUnit.loadedBy(WRITTEN, settings, WRITTEN.of(source)).close())
            .withMessageContainingAll(fields.split(" \\| "));
    }

    /** Hibernate 6 asks nobody to generate it. */
    @Test
    void refusesToGenerateAWholeEmbeddedId() {
        Map<String, ?> settings = Version.getVersionString().startsWith("6.") ? Map.of()
                : Map.of("shardedid.worker.mode", "fixed");
        assertThatExceptionOfType(AnnotationException.class)
            .isThrownBy(() -> TestUnit.of(settings, OnEmbeddedId.class).close())
            .withMessageContaining(OnEmbeddedId.class.getName() + ".id");
    }

    @Embeddable
    record WholeId(long number) {
    }

    @Entity
    static class OnEmbeddedId {

        @EmbeddedId
        @ShardedId
        WholeId id;

    }

}
