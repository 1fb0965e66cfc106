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

    private static void refused(String message, Class<?>... entities) {
        // no engine can be opened by these settings, so the mapping has been checked
        // before
        assertThatExceptionOfType(AnnotationException.class)
            .isThrownBy(() -> TestUnit.of(Map.of("shardedid.worker.mode", "fixed"), entities).close())
            .withMessage(message.replace("HERE.", HERE));
    }

    @Test
    void namesTheAttributesThereAre() {
        refused("Entity 'HERE.Misspelt' has no attribute 'userID' (nearest: 'userId') named by '@ShardedId(shardKey)' on 'id' "
                + "(attributes: 'caption', 'id', 'userId')", Misspelt.class);
    }

    @Test
    void refusesATransientAttribute() {
        refused("Entity 'HERE.OfTransient' has no attribute 'userId' named by '@ShardedId(shardKey)' on 'id' "
                + "(attributes: 'id')", OfTransient.class);
    }

    @Test
    void refusesAnAttributeOfASubclass() {
        refused("Entity 'HERE.Base' has no attribute 'userId' named by '@ShardedId(shardKey)' on 'id' "
                + "(attributes: 'id'); it belongs to a subclass only, and all of them share the id", Base.class,
                Sub.class);
    }

    @Test
    void refusesAnUnknownAttributeOfAnEmbeddable() {
        refused("Embeddable 'HERE.Address' has no attribute 'zip' named by '@ShardedId(shardKey)' on 'id' "
                + "(attributes: 'region', 'score')", OfEmbeddableAttribute.class);
    }

    @Test
    void refusesAWholeEmbeddable() {
        refused("Shard key 'address' of '@ShardedId' on 'HERE.OfEmbeddable.id' is an embeddable; name one of its "
                + "attributes: 'address.region', 'address.score'", OfEmbeddable.class);
    }

    @Test
    void refusesAPathBelowAScalar() {
        refused("Shard key 'userId.value' of '@ShardedId' on 'HERE.BelowScalar.id' goes on below a plain value: "
                + "'userId' has no attribute 'value'; end the path at 'userId'", BelowScalar.class);
    }

    @Test
    void refusesAnotherAttributeOfAnAssociation() {
        refused("Shard key 'author.name' of '@ShardedId' on 'HERE.BeyondId.id' leads beyond the id of 'HERE.User', "
                + "which alone is known without a select; name 'author' or 'author.id', which mean the same",
                User.class, BeyondId.class);
    }

    @Test
    void refusesTypesThatTheShardFunctionDoesNotKnow() {
        refused("Shard key 'score' of '@ShardedId' on 'HERE.OfDouble.id' cannot be a shard key: "
                + "type=java.lang.Double (shard function 'modulo' knows integer types, String, UUID and enums); name "
                + "another attribute, or set 'shardedid.shard-function' to a function that knows this type",
                OfDouble.class);
    }

    @Test
    void refusesACollection() {
        refused("Shard key 'tags' of '@ShardedId' on 'HERE.OfCollection.id' is a collection; name an attribute with "
                + "one value", OfCollection.class);
    }

    @Test
    void refusesTheGeneratedAttributeItself() {
        refused("Shard key 'id' of '@ShardedId' on 'HERE.OfItself.id' is the generated attribute itself; name "
                + "another attribute, or none, so that the generator chooses the shard", OfItself.class);
    }

    @Test
    void refusesShardKeyAndColocateWithTogether() {
        refused("'@ShardedId' on 'HERE.Both.id' has both shardKey=\"userId\" and colocateWith=\"photoId\" (one of "
                + "them at most); keep 'colocateWith' if the scalar holds a sharded id, else 'shardKey'", Both.class);
    }

    @Test
    void refusesToColocateWithATypeThatHoldsNoId() {
        refused("Attribute 'score' named by 'colocateWith' of '@ShardedId' on 'HERE.ColocatedWithDouble.id' must lead to a sharded id: "
                + "type=java.lang.Double (supported: long, Long, String, UUID, a class with a @JavaType of its own "
                + "that wraps a Long or UUID; where the attribute is no identifier also a class with an "
                + "AttributeConverter to Long, String or UUID); use 'shardKey' with an attribute that is a plain key",
                ColocatedWithDouble.class);
    }

    @Test
    void refusesToColocateWithAnAssociation() {
        refused("Attribute 'author' named by 'colocateWith' of '@ShardedId' on 'HERE.ColocatedWithAssociation.id' must be a scalar that "
                + "holds a sharded id: 'author' is an association; use 'shardKey = \"author\"', which takes over the "
                + "shard too", User.class, ColocatedWithAssociation.class);
    }

    private static void refusedType(String attribute, String type, Class<?>... entities) {
        refused("Attribute 'HERE." + attribute + "' cannot carry '@ShardedId': type=" + type.replace("HERE.", HERE)
                + " (supported: long, Long, String, UUID, a class with a @JavaType of its own that wraps a Long or UUID; "
                + "where the attribute is no identifier also a class with an AttributeConverter to Long, String or "
                + "UUID); change the " + "type, or wrap the id in a record as @EmbeddedId", entities);
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
                .withMessageStartingWith("'@ShardedId' on '%sOnEmbeddedId.id' has no effect: ".formatted(HERE));
            return;
        }
        refused("Attribute 'HERE.OnEmbeddedId.id' cannot carry '@ShardedId': it is an embeddable; put it on an attribute "
                + "of 'HERE.WholeId'", OnEmbeddedId.class);
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
        refused("Shard key 'tenant,userId' of '@ShardedId' on 'HERE.TwoPaths.id' must be one path; name the one by which "
                + "rows are found, or an attribute that holds both values", TwoPaths.class);
    }

    @Test
    void refusesAFormula() {
        refused("Shard key 'region' of '@ShardedId' on 'HERE.OfFormula.id' is a formula, which the database computes "
                + "when it reads the row; name an attribute that is set before persist", OfFormula.class);
    }

    @Test
    void refusesTheVersion() {
        refused("Shard key 'version' of '@ShardedId' on 'HERE.OfVersion.id' is the version, which Hibernate sets when it "
                + "writes the row; name an attribute that is set before persist", OfVersion.class);
    }

    @Test
    void refusesTheSideOfAnAssociationWithoutAColumn() {
        refused("Shard key 'owner' of '@ShardedId' on 'HERE.OfInverse.id' is the side of a one-to-one association that has "
                + "no column: mappedBy='owned'; name an attribute that is set before persist", OfInverse.class,
                Owner.class);
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
        refused("Entity 'HERE.EmptySegment' has no attribute '' named by '@ShardedId(shardKey)' on 'id' "
                + "(attributes: 'id', 'userId')", EmptySegment.class);
    }

    @Test
    void namesThePartsOfAnIdClass() {
        refused("Entity 'HERE.OfIdClass' has no attribute 'pet' named by '@ShardedId(shardKey)' on 'number' "
                + "(attributes: '_name', 'number', 'petId')", OfIdClass.class);
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
