package io.shardedid.hibernate;

import java.util.Map;
import java.util.Set;

import io.shardedid.IdLayout;
import io.shardedid.ShardedId;
import jakarta.persistence.Column;
import jakarta.persistence.DiscriminatorColumn;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToOne;
import jakarta.persistence.Transient;
import org.hibernate.AnnotationException;
import org.hibernate.Version;
import org.hibernate.annotations.Formula;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Mappings that cannot work: refused while the session factory is built, with a message
 * that names what there is.
 */
class MappingRefusalTest {

    private static final String HERE = MappingRefusalTest.class.getName() + "$";

    private static void refused(String fields, Class<?>... entities) {
        // no engine can be opened by these settings, so the mapping has been checked
        // before
        assertThatExceptionOfType(AnnotationException.class)
            .isThrownBy(() -> TestUnit.of(Map.of("shardedid.worker.mode", "fixed"), entities).close())
            .withMessageContainingAll(fields.replace("HERE.", HERE).split(" \\| "));
    }

    @Test
    void namesTheAttributesThereAre() {
        refused("HERE.Misspelt | userID", Misspelt.class);
    }

    @Test
    void refusesATransientAttribute() {
        refused("HERE.OfTransient | userId", OfTransient.class);
    }

    @Test
    void refusesAnAttributeOfASubclass() {
        refused("HERE.Base | userId | subclass", Base.class, Sub.class);
    }

    @Test
    void refusesAnUnknownAttributeOfAnEmbeddable() {
        refused("HERE.Address | zip", OfEmbeddableAttribute.class);
    }

    @Test
    void refusesAWholeEmbeddable() {
        refused("address | HERE.OfEmbeddable.id | address.region", OfEmbeddable.class);
    }

    @Test
    void refusesAPathBelowAScalar() {
        refused("userId.value | HERE.BelowScalar.id", BelowScalar.class);
    }

    @Test
    void refusesAnotherAttributeOfAnAssociation() {
        refused("author.name | HERE.BeyondId.id", User.class, BeyondId.class);
    }

    @Test
    void refusesTypesThatTheShardFunctionDoesNotKnow() {
        refused("type=java.lang.Double | score | shardedid.shard-function", OfDouble.class);
    }

    @Test
    void refusesACollection() {
        refused("tags | HERE.OfCollection.id | attribute", OfCollection.class);
    }

    @Test
    void refusesTheGeneratedAttributeItself() {
        refused("id | HERE.OfItself.id | attribute", OfItself.class);
    }

    @Test
    void refusesShardKeyAndColocateWithTogether() {
        refused("shardKey=\"userId\" | colocateWith=\"photoId\"", Both.class);
    }

    @Test
    void refusesToColocateWithATypeThatHoldsNoId() {
        refused("type=java.lang.Double | score | shardKey", ColocatedWithDouble.class);
    }

    @Test
    void refusesToColocateWithAnAssociation() {
        refused("author | colocateWith | shardKey = \"author\"", User.class, ColocatedWithAssociation.class);
    }

    private static void refusedType(String attribute, String type, Class<?>... entities) {
        refused("type=" + type.replace("HERE.", HERE) + " | HERE." + attribute + " | EmbeddedId", entities);
    }

    @Test
    void refusesToGenerateAnAssociation() {
        refusedType("OnAssociation.author", "HERE.User", User.class, OnAssociation.class);
    }

    @Test
    void refusesToGenerateAWholeEmbeddedId() {
        if (Version.getVersionString().startsWith("6.")) {
            // which asks nobody to generate it
            assertThatExceptionOfType(AnnotationException.class)
                .isThrownBy(() -> TestUnit.of(Map.of(), OnEmbeddedId.class).close())
                .withMessageContaining(HERE + "OnEmbeddedId.id");
            return;
        }
        refused("HERE.OnEmbeddedId.id | HERE.WholeId", OnEmbeddedId.class);
    }

    @Test
    void refusesToGenerateAWholeEmbeddable() {
        refusedType("OnEmbeddable.address", "HERE.Address", OnEmbeddable.class);
    }

    @Test
    void refusesToGenerateACollection() {
        refusedType("OnCollection.tags", "java.util.Set", OnCollection.class);
    }

    @Test
    void refusesTwoPaths() {
        refused("tenant,userId | HERE.TwoPaths.id | attribute", TwoPaths.class);
    }

    @Test
    void refusesAFormula() {
        refused("region | HERE.OfFormula.id | attribute", OfFormula.class);
    }

    @Test
    void refusesTheVersion() {
        refused("version | HERE.OfVersion.id | attribute", OfVersion.class);
    }

    @Test
    void refusesTheSideOfAnAssociationWithoutAColumn() {
        refused("mappedBy='owned' | owner | attribute", OfInverse.class, Owner.class);
    }

    @Test
    void refusesAKeyThatIsNeverWritten() {
        String message = "Shard key '%s' of '@ShardedId' on 'HERE.%s.id' is never written: insertable=false, and no other "
                + "attribute has its column; let it be inserted, or name an attribute that is";
        refused(message.formatted("userId", "OfUnwritten"), OfUnwritten.class);
        refused(message.formatted("user", "OfUnwrittenAssociation"), User.class, OfUnwrittenAssociation.class);
    }

    /** Two attributes for one column, of which one writes it. */
    @Test
    void takesAKeyWhoseColumnAnotherAttributeWrites() {
        try (TestUnit unit = TestUnit.of(Map.of(), User.class, WrittenByAssociation.class, WrittenByNumber.class,
                WrittenAsDiscriminator.class)) {
            User user = new User();
            user.id = 4711L;
            WrittenByAssociation byAssociation = new WrittenByAssociation();
            byAssociation.userId = user.id;
            byAssociation.user = user;
            WrittenByNumber byNumber = new WrittenByNumber();
            byNumber.userId = user.id;
            byNumber.user = user;
            unit.persist(user, byAssociation, byNumber);
            assertThat(IdLayout.standard().shardOf(byAssociation.id)).isEqualTo(711);
            assertThat(IdLayout.standard().shardOf(byNumber.id)).isEqualTo(711);
        }
    }

    @Test
    void refusesAnEmptySegment() {
        refused("HERE.EmptySegment | @ShardedId(shardKey)", EmptySegment.class);
    }

    @Test
    void namesThePartsOfAnIdClass() {
        refused("HERE.OfIdClass | pet", OfIdClass.class);
    }

    record PetNumber(long petId, Long number) {
    }

    @Entity
    @IdClass(PetNumber.class)
    static class OfIdClass {

        @Id
        long petId;

        @Id
        @ShardedId(shardKey = "pet")
        Long number;

        String _name;

    }

    @Entity
    static class User {

        @Id
        Long id;

        String name;

    }

    @Entity
    static class OnAssociation {

        @Id
        Long id;

        @ShardedId
        @ManyToOne
        User author;

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

    @Entity
    static class OnEmbeddable {

        @Id
        Long id;

        @ShardedId
        Address address;

    }

    @Entity
    static class OnCollection {

        @Id
        Long id;

        @ShardedId
        @ElementCollection
        Set<String> tags;

    }

    @Entity
    static class Misspelt {

        @Id
        @ShardedId(shardKey = "userID")
        Long id;

        long userId;

        String caption;

    }

    @Entity
    static class OfTransient {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        @Transient
        long userId;

    }

    @Entity
    static class Base {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

    }

    @Entity
    static class Sub extends Base {

        long userId;

    }

    @Embeddable
    static class Address {

        int region;

        double score;

    }

    @Entity
    static class OfEmbeddable {

        @Id
        @ShardedId(shardKey = "address")
        Long id;

        Address address;

    }

    @Entity
    static class OfEmbeddableAttribute {

        @Id
        @ShardedId(shardKey = "address.zip")
        Long id;

        Address address;

    }

    @Entity
    static class BelowScalar {

        @Id
        @ShardedId(shardKey = "userId.value")
        Long id;

        long userId;

    }

    @Entity
    static class BeyondId {

        @Id
        @ShardedId(shardKey = "author.name")
        Long id;

        @ManyToOne
        User author;

    }

    @Entity
    static class OfDouble {

        @Id
        @ShardedId(shardKey = "score")
        Long id;

        double score;

    }

    @Entity
    static class OfCollection {

        @Id
        @ShardedId(shardKey = "tags")
        Long id;

        @ElementCollection
        Set<String> tags;

    }

    @Entity
    static class OfItself {

        @Id
        @ShardedId(shardKey = "id")
        Long id;

    }

    @Entity
    static class Both {

        @Id
        @ShardedId(shardKey = "userId", colocateWith = "photoId")
        Long id;

        long userId;

        long photoId;

    }

    @Entity
    static class ColocatedWithDouble {

        @Id
        @ShardedId(colocateWith = "score")
        Long id;

        double score;

    }

    @Entity
    static class ColocatedWithAssociation {

        @Id
        @ShardedId(colocateWith = "author")
        Long id;

        @ManyToOne
        User author;

    }

    @Entity
    static class TwoPaths {

        @Id
        @ShardedId(shardKey = "tenant,userId")
        Long id;

        String tenant;

        Long userId;

    }

    @Entity
    static class OfFormula {

        @Id
        @ShardedId(shardKey = "region")
        Long id;

        @Formula("upper('eu')")
        String region;

    }

    @Entity
    static class OfVersion {

        @Id
        @ShardedId(shardKey = "version")
        Long id;

        @jakarta.persistence.Version
        Long version;

    }

    @Entity
    static class OfInverse {

        @Id
        @ShardedId(shardKey = "owner")
        Long id;

        @OneToOne(mappedBy = "owned")
        Owner owner;

    }

    @Entity
    static class Owner {

        @Id
        Long id;

        @OneToOne
        OfInverse owned;

    }

    @Entity
    static class OfUnwritten {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        @Column(insertable = false)
        Long userId;

    }

    @Entity
    static class OfUnwrittenAssociation {

        @Id
        @ShardedId(shardKey = "user")
        Long id;

        @ManyToOne
        @JoinColumn(insertable = false, updatable = false)
        User user;

    }

    @Entity
    static class WrittenByAssociation {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        @Column(name = "user_id", insertable = false, updatable = false)
        Long userId;

        @ManyToOne
        @JoinColumn(name = "user_id")
        User user;

    }

    @Entity
    static class WrittenByNumber {

        @Id
        @ShardedId(shardKey = "user")
        Long id;

        @Column(name = "user_id")
        Long userId;

        @ManyToOne
        @JoinColumn(name = "user_id", insertable = false, updatable = false)
        User user;

    }

    @Entity
    @DiscriminatorColumn(name = "kind")
    static class WrittenAsDiscriminator {

        @Id
        @ShardedId(shardKey = "kind")
        Long id;

        @Column(insertable = false, updatable = false)
        String kind;

    }

    @Entity
    static class EmptySegment {

        @Id
        @ShardedId(shardKey = ".userId")
        Long id;

        long userId;

    }

}
