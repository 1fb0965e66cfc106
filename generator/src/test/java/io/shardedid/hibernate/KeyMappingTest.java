package io.shardedid.hibernate;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import io.shardedid.UuidLayout;
import io.shardedid.hibernate.ColocationModel.Like;
import io.shardedid.internal.config.ShardedIdSettings;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Entity;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Every mapping of an id and of its key: the row is inserted by one statement for each
 * table, and its id has the shard of its key.
 */
class KeyMappingTest {

    /**
     * The last entity of a case is persisted, after those to which its attributes lead,
     * by one statement for each and by as many more as stand behind the shard.
     */
    private static final String CASES = """
            no key
            @Entity class Keyless { @Id @ShardedId Long id; }
            -> any

            primitive id
            @Entity class PrimitiveId { @Id @ShardedId long id; }
            -> any

            long
            @Entity class ByLong { @Id @ShardedId(shardKey = "userId") Long id; long userId = 4_002; }
            -> 2

            int
            @Entity class ByInt { @Id @ShardedId(shardKey = "userId") Long id; int userId = -1; }
            -> 1999

            Integer
            @Entity class ByInteger { @Id @ShardedId(shardKey = "userId") Long id; Integer userId = 2_001; }
            -> 1

            short
            @Entity class ByShort { @Id @ShardedId(shardKey = "userId") Long id; short userId = 2_003; }
            -> 3

            byte
            @Entity class ByByte { @Id @ShardedId(shardKey = "userId") Long id; byte userId = 4; }
            -> 4

            BigInteger
            @Entity class ByBig { @Id @ShardedId(shardKey = "userId") Long id;
                @Column(precision = 38) BigInteger userId = BigInteger.TEN.pow(30).add(BigInteger.valueOf(5)); }
            -> 5

            text
            @Entity class ByText { @Id @ShardedId(shardKey = "login") Long id; String login = "ada"; }
            -> key ada

            text of a number is another key
            @Entity class ByDigit { @Id @ShardedId(shardKey = "login") Long id; String login = "5"; }
            -> key 5

            UUID
            @Entity class ByUuid { @Id @ShardedId(shardKey = "owner") Long id;
                UUID owner = UUID.fromString("123e4567-e89b-12d3-a456-426614174000"); }
            -> uuid 123e4567-e89b-12d3-a456-426614174000

            an enum by its name
            enum Region { NORTH, SOUTH }
            @Entity class ByEnum { @Id @ShardedId(shardKey = "region") Long id; Region region = Region.SOUTH; }
            -> key SOUTH

            an enum stored as a text
            @Entity class ByEnumName { @Id @ShardedId(shardKey = "region") Long id;
                @Enumerated(EnumType.STRING) Region region = Region.SOUTH; }
            -> key SOUTH

            number stored as a text: the value in Java counts
            class HexConverter implements AttributeConverter<Long, String> {
                public String convertToDatabaseColumn(Long number) { return (number != null) ? Long.toHexString(number) : null; }
                public Long convertToEntityAttribute(String hex) { return (hex != null) ? Long.valueOf(hex, 16) : null; } }
            @Entity class ByConverted { @Id @ShardedId(shardKey = "userId") Long id;
                @Convert(converter = HexConverter.class) Long userId = 4_006L; }
            -> 6

            id that a converter wraps
            record Wrapped(long number) { @Override public String toString() { return Long.toString(this.number); } }
            class WrappedConverter implements AttributeConverter<Wrapped, Long> {
                public Long convertToDatabaseColumn(Wrapped id) { return (id != null) ? id.number() : null; }
                public Wrapped convertToEntityAttribute(Long number) { return (number != null) ? new Wrapped(number) : null; } }
            @Entity class OfWrapped { @Id @ShardedId(colocateWith = "photo") Long id;
                @Convert(converter = WrappedConverter.class) Wrapped photo = new Wrapped(8_388_608_000_315_392L); }
            -> 77

            id that an auto-applied converter wraps
            record Applied(long number) { }
            @Converter(autoApply = true) class AppliedConverter implements AttributeConverter<Applied, Long> {
                public Long convertToDatabaseColumn(Applied id) { return (id != null) ? id.number() : null; }
                public Applied convertToEntityAttribute(Long number) { return (number != null) ? new Applied(number) : null; } }
            @Entity class OfApplied { @Id @ShardedId(colocateWith = "photo") Long id;
                Applied photo = new Applied(8_388_608_000_315_392L); /* AppliedConverter */ }
            -> 77

            private fields
            @Entity class ByField { @Id @ShardedId(shardKey = "userId") private Long id; private long userId = 4_007; }
            -> 7

            getters: what they return counts
            @Entity class ByGetter { private Long number; private Long user = 9L;
                @Id @ShardedId(shardKey = "userId") public Long getId() { return this.number; }
                public void setId(Long id) { this.number = id; }
                public Long getUserId() { return (this.user != null) ? this.user + 1000 : null; }
                public void setUserId(Long userId) { this.user = userId; } }
            -> 1009

            key by its getter, id by its field
            @Entity @Access(AccessType.FIELD) class Mixed { @Id @ShardedId(shardKey = "userId") Long id; transient Long user = 11L;
                @Access(AccessType.PROPERTY) public Long getUserId() { return this.user + 1000; }
                public void setUserId(Long userId) { this.user = userId - 1000; } }
            -> 1011

            getters of a mapped superclass
            @MappedSuperclass abstract class WithGetters { private Long number; private Long user = 13L;
                @Id @ShardedId(shardKey = "userId") public Long getId() { return this.number; }
                public void setId(Long id) { this.number = id; }
                public Long getUserId() { return this.user; }
                public void setUserId(Long userId) { this.user = userId; } }
            @Entity class OfGetters extends WithGetters { }
            -> 13

            mapped superclass
            @MappedSuperclass abstract class OfUser { @Id @ShardedId(shardKey = "userId") Long id; long userId = 11; }
            @Entity class Remark extends OfUser { }
            -> 11

            type variables of mapped superclasses
            @MappedSuperclass abstract class OfAnything<I extends Serializable> { @Id @ShardedId(shardKey = "owner") I id; }
            @MappedSuperclass abstract class Owned<I extends Serializable, K> extends OfAnything<I> { K owner; }
            @Entity class OwnedByNumber extends Owned<Long, Long> { { this.owner = 12L; } }
            -> 12

            type variables that are texts
            @Entity class OwnedByText extends Owned<String, String> { { this.owner = "ada"; } }
            -> key ada

            type variable that is an association
            @MappedSuperclass abstract class ChildOf<P> { @Id @ShardedId(shardKey = "owner") Long id; @ManyToOne P owner; }
            @Entity class ChildOfNumber extends ChildOf<OwnedByNumber> { { this.owner = new OwnedByNumber(); } }
            -> 12

            single table
            @Entity class Animal { @Id @ShardedId(shardKey = "ownerId") Long id; long ownerId = 13; }
            @Entity class Dog extends Animal { String called; }
            -> 13

            joined tables
            @Entity @Inheritance(strategy = InheritanceType.JOINED) abstract class Vehicle {
                @Id @ShardedId(shardKey = "ownerId") Long id; long ownerId = 14; }
            @Entity class Car extends Vehicle { String called; }
            -> 14 +1

            table per class
            @Entity @Inheritance(strategy = InheritanceType.TABLE_PER_CLASS) abstract class Shape {
                @Id @ShardedId(shardKey = "ownerId") Long id; long ownerId = 15; }
            @Entity class Circle extends Shape { String called; }
            -> 15

            association to a subclass
            @Entity class Leash { @Id @ShardedId(shardKey = "dog") Long id; @ManyToOne Dog dog = new Dog(); }
            -> 13

            association to an abstract root
            @Entity class Wheel { @Id @ShardedId(shardKey = "vehicle") Long id; @ManyToOne Vehicle vehicle = new Car(); }
            -> 14 +1

            part of an embedded id
            @Embeddable class OrderId extends Parts { long customer = 16; @ShardedId(shardKey = "id.customer") @Column(name = "n") Long number;
                List<Object> parts() { return Arrays.asList(this.customer, this.number); } }
            @Entity class Purchase { @EmbeddedId OrderId id = new OrderId(); }
            -> 16

            part of a record
            @Embeddable record RecordId(long customer, @ShardedId(shardKey = "id.customer") @Column(name = "n") Long number) { }
            @Entity class RecordPurchase { @EmbeddedId RecordId id = new RecordId(18, null); }
            -> 18

            key outside of the embedded id
            @Embeddable record WrappingId(@ShardedId(shardKey = "userId") @Column(name = "n") Long number) { }
            @Entity class KeyOutside { @EmbeddedId WrappingId id; long userId = 20; }
            -> 20

            a record that wraps the id
            @Embeddable record NoteId(@ShardedId @Column(name = "n") Long number) { }
            @Entity class Note { @EmbeddedId NoteId id; }
            @Entity class Reply { @Id @ShardedId(shardKey = "note.id.number") Long id; @ManyToOne Note note = new Note(); }
            -> parent

            a record that wraps a text
            @Embeddable record TextNoteId(@ShardedId @Column(name = "n") String text) { }
            @Entity class TextNote { @EmbeddedId TextNoteId id; }
            -> any

            association to a part of an embedded id
            @Entity class OrderLine { @Id @ShardedId(shardKey = "purchase.id.customer") Long id;
                @ManyToOne Purchase purchase = new Purchase(); }
            -> 16

            id class
            class VisitId extends Parts { long petId; Long number;
                List<Object> parts() { return Arrays.asList(this.petId, this.number); } }
            @Entity @IdClass(VisitId.class) class Visit { @Id long petId = 21;
                @Id @ShardedId(shardKey = "petId") @Column(name = "n") Long number; }
            -> 21

            id class that is a record
            record RecordVisitId(long petId, Long number) { }
            @Entity @IdClass(RecordVisitId.class) class RecordVisit { @Id long petId = 22;
                @Id @ShardedId(shardKey = "petId") @Column(name = "n") Long number; }
            -> 22

            association in an embeddable, to a part of an id class
            @Embeddable class Details { @ManyToOne Visit visit = new Visit(); }
            @Entity class Bill { @Id @ShardedId(shardKey = "details.visit.number") Long id; Details details = new Details(); }
            -> 21

            association in an id class
            record OwnedVisitId(Long owner, Long number) { }
            @Entity @IdClass(OwnedVisitId.class) class OwnedVisit { @Id @ManyToOne Keyless owner = new Keyless();
                @Id @ShardedId(shardKey = "owner") @Column(name = "n") Long number; }
            -> parent

            attribute of an embeddable
            @Embeddable record Address(int region) { }
            @Embeddable class Holder { long number = 6; Address address = new Address(7); }
            @Entity class ByHolder { @Id @ShardedId(shardKey = "holder.number") Long id; Holder holder = new Holder(); }
            -> 6

            attribute of a record in an embeddable
            @Entity class ByNested { @Id @ShardedId(shardKey = "holder.address.region") Long id; Holder holder = new Holder(); }
            -> 7

            association in a record
            @Embeddable record Credits(@ManyToOne Keyless author) { }
            @Entity class Credited { @Id @ShardedId(shardKey = "credits.author") Long id;
                Credits credits = new Credits(new Keyless()); }
            -> parent

            id in a record
            @Embeddable record Target(long photoId) { }
            @Entity class Targeted { @Id @ShardedId(colocateWith = "target.photoId") Long id;
                Target target = new Target(8_388_608_000_315_392L); }
            -> 77

            null on the way to an optional key
            @Embeddable record Home(Integer country) { }
            @Embeddable class Resident { Home home; }
            @Entity class OptionalHome { @Id @ShardedId(shardKey = "resident.home.country", optionalKey = true) Long id;
                Resident resident; }
            -> any

            id that MapsId takes
            @Entity class Profile { @Id Long id; @MapsId @OneToOne Keyless account = new Keyless(); }
            @Entity class ProfileBadge { @Id @ShardedId(shardKey = "profile") Long id; @ManyToOne Profile profile = new Profile(); }
            -> parent

            text that MapsId takes
            @Entity class TextAccount { @Id @ShardedId @Column(length = 19) String id; }
            @Entity class TextProfile { @Id String id; @MapsId @OneToOne TextAccount account = new TextAccount(); }
            @Entity class TextBadge { @Id @ShardedId(shardKey = "profile") Long id;
                @ManyToOne TextProfile profile = new TextProfile(); }
            -> parent

            part of the id that MapsId fills
            @Embeddable class MembershipId extends Parts { Long tenant;
                @ShardedId(shardKey = "tenant") @Column(name = "n") Long number;
                List<Object> parts() { return Arrays.asList(this.tenant, this.number); } }
            @Entity class Membership { @EmbeddedId MembershipId id = new MembershipId();
                @MapsId("tenant") @ManyToOne Keyless tenant = new Keyless(); }
            -> parent

            part as the key, which Hibernate fills after it asked for the id
            @Embeddable class SeatId extends Parts { Long tenant;
                @ShardedId(colocateWith = "id.tenant") @Column(name = "n") Long number;
                List<Object> parts() { return Arrays.asList(this.tenant, this.number); } }
            @Entity class Seat { @EmbeddedId SeatId id = new SeatId();
                @MapsId("tenant") @ManyToOne Keyless tenant = new Keyless(); }
            -> parent

            association that is the id
            @Entity class Person implements Serializable { @Id @ShardedId Long id; }
            @Entity class Passport implements Serializable { @Id @OneToOne Person person = new Person(); }
            @Entity class Visa { @Id @ShardedId(shardKey = "passport.person") Long id; @ManyToOne Passport passport = new Passport(); }
            -> parent

            id behind an association that is the id
            @Entity class Stamp { @Id @ShardedId(shardKey = "passport.person.id") Long id;
                @ManyToOne Passport passport = new Passport(); }
            -> parent

            association in an id class behind an association
            class TeamId extends Parts { Long person; int number;
                List<Object> parts() { return Arrays.asList(this.person, this.number); } }
            @Entity @IdClass(TeamId.class) class Team { @Id @ManyToOne Person person = new Person(); @Id int number = 7; }
            @Entity class Card { @Id @ShardedId(shardKey = "team.person") Long id; @ManyToOne Team team = new Team(); }
            -> parent

            part of an id behind an association, which another association maps
            @Embeddable class TagId extends Parts { Long personId; String word = "lake";
                List<Object> parts() { return Arrays.asList(this.personId, this.word); } }
            @Entity class Tag { @EmbeddedId TagId id = new TagId();
                @MapsId("personId") @ManyToOne Person person = new Person(); }
            @Entity class Label { @Id @ShardedId(shardKey = "tag.id.personId") Long id; @ManyToOne Tag tag = new Tag(); }
            -> parent

            part of an id behind an association, beside it
            @Entity class TagNote { @Id @ShardedId(shardKey = "tag.id.word") Long id; @ManyToOne Tag tag = new Tag(); }
            -> key lake

            UUID as the id
            @Entity class UuidPhoto { @Id @ShardedId(shardKey = "userId") UUID id; long userId = 5_234; }
            -> 1234

            UUID of a parent
            @Entity class UuidCaption { @Id @ShardedId(shardKey = "photo") UUID id; @ManyToOne UuidPhoto photo = new UuidPhoto(); }
            -> 1234

            colocation with a UUID
            @Entity class UuidVote { @Id @ShardedId(colocateWith = "photoId") UUID id;
                UUID photoId = UUID.fromString("019b76da-a800-7005-809a-000600000000"); }
            -> 77

            number of a parent that has a UUID
            @Entity class UuidCounted { @Id @ShardedId(shardKey = "photo") Long id; @ManyToOne UuidPhoto photo = new UuidPhoto(); }
            -> 1234

            UUID that MapsId takes
            @Entity class UuidDetails { @Id UUID id; @MapsId @OneToOne UuidPhoto photo = new UuidPhoto(); }
            @Entity class UuidRemark { @Id @ShardedId(shardKey = "details") UUID id;
                @ManyToOne UuidDetails details = new UuidDetails(); }
            -> 1234

            zero by intention
            @Entity class ByZero { @Id @ShardedId(shardKey = "userId") Long id; long userId; }
            -> 0

            key that PrePersist changes to another of the same shard
            @Entity class SameShard { @Id @ShardedId(shardKey = "userId") Long id; long userId = 5;
                @PrePersist void late() { this.userId = 2_005; } }
            -> 5

            plain attribute beside IDENTITY
            @Entity class ByIdentity { @Id @GeneratedValue(strategy = GenerationType.IDENTITY) Long id;
                @ShardedId(shardKey = "userId") @Column(length = 19) String publicId; long userId = 42; }
            -> 42

            plain attribute whose key is the identifier
            @Entity class ByOwnId { @Id long id = 4_043; @ShardedId(shardKey = "id") long publicId; }
            -> 43

            plain attribute beside a composite identifier
            @Embeddable record Spot(String room, int place) { }
            @Entity class Stand { @EmbeddedId Spot id = new Spot("hall", 3); @ShardedId(shardKey = "userId") Long publicId; long userId = 44; }
            -> 44

            plain attribute that a converter wraps
            @Entity class ConvertedBeside { @Id long id = 1; long userId = 45;
                @ShardedId(shardKey = "userId") @Convert(converter = WrappedConverter.class) Wrapped publicId; }
            -> 45

            plain attribute of a subclass, with a key of the subclass
            @Entity class Country { @Id long id = 4_046; }
            @Entity @Inheritance(strategy = InheritanceType.JOINED) class Place { @Id @ShardedId Long id; }
            @Entity class Town extends Place { @ShardedId(shardKey = "country") Long publicId; @ManyToOne Country country = new Country(); }
            -> 46 +1

            id of an association
            @Entity class ByAuthorId { @Id @ShardedId(shardKey = "author.id") Long id; @ManyToOne Keyless author = new Keyless(); }
            -> parent

            one to one
            @Entity class Avatar { @Id @ShardedId(shardKey = "user") Long id; @OneToOne Keyless user = new Keyless(); }
            -> parent

            key whose column an association writes
            @Entity class Reader { @Id long id = 4_711; }
            @Entity class WrittenByAssociation { @Id @ShardedId(shardKey = "userId") Long id;
                @Column(name = "user_id", insertable = false, updatable = false) long userId = 4_711;
                @ManyToOne @JoinColumn(name = "user_id") Reader user = new Reader(); }
            -> 711

            association whose column a number writes
            @Entity class OtherReader extends Reader { { this.id = 4_712; } }
            @Entity class WrittenByNumber { @Id @ShardedId(shardKey = "user") Long id; @Column(name = "user_id") long userId = 4_712;
                @ManyToOne @JoinColumn(name = "user_id", insertable = false, updatable = false) Reader user = new OtherReader(); }
            -> 712

            key that is the discriminator
            @Entity @DiscriminatorColumn(name = "kind") class Kinded { @Id @ShardedId(shardKey = "kind") Long id;
                @Column(insertable = false, updatable = false) String kind = "Kinded"; }
            -> key Kinded

            optional key that is null
            @Entity class Sticker { @Id @ShardedId(shardKey = "userId", optionalKey = true) Long id; Long userId; }
            -> any

            optional key
            @Entity class OwnedSticker extends Sticker { { this.userId = 5L; } }
            -> 5

            optional colocation with nothing
            @Entity class Answer { @Id @ShardedId(colocateWith = "questionId", optionalKey = true) Long id; Long questionId; }
            -> any

            optional colocation
            @Entity class AnswerOf extends Answer { { this.questionId = 8_388_608_000_315_392L; } }
            -> 77

            tree
            @Entity class Branch { @Id @ShardedId(shardKey = "trunk", optionalKey = true) Long id; @ManyToOne Branch trunk; }
            @Entity class Twig extends Branch { { this.trunk = new Branch(); } }
            -> parent

            assigned id without its optional key
            @Entity class Seed { @Id @ShardedId(shardKey = "userId", optionalKey = true, allowAssigned = true)
                Long id = 8_388_608_000_315_424L; Long userId; }
            -> 77

            foreign key with a further column: Hibernate copies the id for it, and asks for the generator of the copy
            @Entity class Sale implements Serializable { @Id @ShardedId(shardKey = "tenant") Long id;
                @Column(name = "tenant_id") Long tenant = 7L; }
            @Entity class SaleLine { @Id @ShardedId(shardKey = "sale") Long id;
                @ManyToOne @JoinColumn(name = "s_tenant", referencedColumnName = "tenant_id")
                @JoinColumn(name = "sale_id", referencedColumnName = "id") Sale sale = new Sale(); }
            -> parent

            tables of collections with a further column
            @Entity class Basket implements Serializable { @Id @ShardedId(shardKey = "tenant") Long id;
                @Column(name = "tenant_id") Long tenant = 7L;
                @ManyToMany(cascade = CascadeType.PERSIST) @JoinTable(name = "basket_sale", joinColumns = {
                    @JoinColumn(name = "b_tenant", referencedColumnName = "tenant_id"),
                    @JoinColumn(name = "basket_id", referencedColumnName = "id") })
                List<Sale> sales = new ArrayList<>(List.of(new Sale()));
                @ElementCollection @CollectionTable(name = "basket_label", joinColumns = {
                    @JoinColumn(name = "l_tenant", referencedColumnName = "tenant_id"),
                    @JoinColumn(name = "basket_id", referencedColumnName = "id") })
                List<String> labels = new ArrayList<>(List.of("late")); }
            -> 7 +3

            collection whose foreign key has a further column
            @Entity class Page { @Id @ShardedId Long id; }
            @Entity class Book implements Serializable { @Id @ShardedId(shardKey = "tenant") Long id;
                @Column(name = "tenant_id") Long tenant = 7L;
                @OneToMany(cascade = CascadeType.PERSIST) @JoinColumn(name = "b_tenant", referencedColumnName = "tenant_id")
                @JoinColumn(name = "book_id", referencedColumnName = "id") List<Page> pages = new ArrayList<>(List.of(new Page())); }
            -> 7 +2

            foreign key of a plain attribute with an id and a further column
            @Entity class Article implements Serializable { @Id Long id = 1L; @Column(name = "tenant_id") Long tenant = 7L;
                @ShardedId(shardKey = "tenant") @Column(name = "public_id") Long publicId; }
            @Entity class ArticleNote { @Id @ShardedId Long id;
                @ManyToOne @JoinColumn(name = "a_tenant", referencedColumnName = "tenant_id")
                @JoinColumn(name = "a_id", referencedColumnName = "public_id") Article article = new Article(); }
            -> any

            foreign key of a part of an identifier and a further column
            @Embeddable class InvoiceId extends Parts { @Column(name = "site_id") long site = 3;
                @ShardedId @Column(name = "invoice_number") Long number;
                List<Object> parts() { return Arrays.asList(this.site, this.number); } }
            @Entity class Invoice implements Serializable { @EmbeddedId InvoiceId id = new InvoiceId();
                @Column(name = "tenant_id") Long tenant = 7L; }
            @Entity class InvoiceItem { @Id @ShardedId Long id;
                @ManyToOne @JoinColumn(name = "i_tenant", referencedColumnName = "tenant_id")
                @JoinColumn(name = "i_number", referencedColumnName = "invoice_number")
                @JoinColumn(name = "i_site", referencedColumnName = "site_id") Invoice invoice = new Invoice(); }
            -> any
            """;

    /** Without the rows to which they lead. */
    private static final String REFUSED = """
            parent with a UUID of another version
            @Entity class UuidOrphan extends UuidCaption {
                { this.photo.id = UUID.fromString("936da01f-9abd-4d9d-80c7-02af85c822a8"); } }
            -> UuidOrphan | photo | uuid=936da01f-9abd-4d9d-80c7-02af85c822a8 | version=4

            type that holds no UUID
            record Code(UUID value) { }
            class CodeConverter implements AttributeConverter<Code, UUID> {
                public UUID convertToDatabaseColumn(Code code) { return (code != null) ? code.value() : null; }
                public Code convertToEntityAttribute(UUID value) { return (value != null) ? new Code(value) : null; } }
            @Entity class UuidVoucher { @Id @ShardedId(colocateWith = "code") UUID id;
                @Convert(converter = CodeConverter.class) Code code = new Code(null); }
            -> UuidVoucher | value='Code[value=null]' | shardKey

            assigned type that holds no UUID
            @Entity class UuidClaimed { @Id long id = 1; long userId;
                @ShardedId(shardKey = "userId", allowAssigned = true) @Convert(converter = CodeConverter.class)
                Code code = new Code(null); }
            -> UuidClaimed | code='Code[value=null]' | ShardedIds

            null record
            @Entity class NullAddress { @Id @ShardedId(shardKey = "address.region") Long id; Address address; }
            -> NullAddress | address.region

            null embeddable
            @Entity class NullHolder { @Id @ShardedId(shardKey = "holder.address.region") Long id; Holder holder; }
            -> NullHolder | holder.address.region

            null in an embeddable
            @Embeddable class Vacant { Address address; }
            @Entity class NullWithin { @Id @ShardedId(shardKey = "vacant.address.region") Long id; Vacant vacant = new Vacant(); }
            -> NullWithin | vacant.address.region

            part that MapsId takes from a row without an id
            @Entity class LooseSeat extends Seat { }
            -> LooseSeat | id.tenant | Keyless

            id behind an association that has none
            @Entity class LooseVisa extends Visa { }
            -> LooseVisa | passport.person

            part of an id behind an association that has none
            @Entity class LooseNote { @Id @ShardedId(shardKey = "tag.id.word") Long id; @ManyToOne Tag tag = new Tag();
                { this.tag.id = null; } }
            -> LooseNote | tag.id.word

            null key
            @Entity class NullKey { @Id @ShardedId(shardKey = "userId") Long id; Long userId; }
            -> NullKey | userId | @ShardedId(optionalKey = true)

            key that PrePersist sets, after Hibernate asked for the id
            @Entity class Audited { @Id @ShardedId(shardKey = "createdBy") Long id; Long createdBy;
                @PrePersist void created() { this.createdBy = 7L; } }
            -> Audited | createdBy | @ShardedId(optionalKey = true)

            null association
            @Entity class NullParent { @Id @ShardedId(shardKey = "author") Long id; @ManyToOne Keyless author; }
            -> NullParent | author | @ShardedId(optionalKey = true)

            parent that is not persisted
            @Entity class NewParent { @Id @ShardedId(shardKey = "author") Long id; @ManyToOne Keyless author = new Keyless(); }
            -> NewParent | author

            parent with a primitive id that is not persisted
            @Entity class NewPrimitive { @Id @ShardedId(shardKey = "author") Long id;
                @ManyToOne PrimitiveId author = new PrimitiveId(); }
            -> NewPrimitive | author

            cascade from the child to its parent
            @Entity class Upwards { @Id @ShardedId(shardKey = "parent") Long id;
                @ManyToOne(cascade = CascadeType.PERSIST) Keyless parent = new Keyless(); }
            -> Upwards | parent

            shard that the layout has and the engine has not
            @Entity class OffLayout { @Id @ShardedId(colocateWith = "photoId") Long id; long photoId = 16_773_120; }
            -> OffLayout | [0, 1999] | id=16773120 | shard=2047 | layout

            optional parent that is not persisted
            @Entity class LooseTwig extends Branch { { this.trunk = new Branch(); } }
            -> LooseTwig | trunk

            assigned id of another shard than its optional key
            @Entity class SeedElsewhere extends Seed { { this.userId = 78L; } }
            -> SeedElsewhere | id='8388608000315424' | shard=77 | nextFor

            primitive that is set too late
            @Entity class LateLike { @Id @ShardedId(shardKey = "userId") Long id; long userId;
                @PrePersist void late() { this.userId = 7; } }
            -> LateLike | 'userId' | id=0 | key=7 | persist

            key of the identifier, beside other ids, that is set too late
            @Entity class LateBeside { @ShardedId(shardKey = "other") Long before; @Id @ShardedId(shardKey = "userId") Long id;
                @ShardedId(shardKey = "other") Long later; long other; long userId;
                @PrePersist void late() { this.userId = 7; } }
            -> LateBeside | 'userId' | id=0 | key=7

            key of a UUID that is set too late
            @Entity class LateToken { @Id @ShardedId(shardKey = "userId") UUID id; long userId;
                @PrePersist void late() { this.userId = 7; } }
            -> LateToken | 'userId' | id=0 | key=7

            value in a record that is set too late
            @Entity class LateNote { @Id @ShardedId(shardKey = "address.region") Long id; Address address = new Address(0);
                @PrePersist void late() { this.address = new Address(7); } }
            -> LateNote | 'address.region' | id=0 | key=7

            converted value that is set too late
            @Entity class LateTag { @Id @ShardedId(shardKey = "tag") Long id; @Convert(converter = HexConverter.class) Long tag = 16L;
                @PrePersist void late() { this.tag = 17L; } }
            -> LateTag | 'tag' | id=16 | key=17

            part of an embedded id that is set too late
            @Entity class LatePurchase extends Purchase { @PrePersist void late() { this.id.customer = 7; } }
            -> LatePurchase | 'id.customer' | id=16 | key=7

            key beside an id class that is set too late
            @Entity @IdClass(RecordVisitId.class) class LateVisit { @Id long petId; @Id @ShardedId(shardKey = "userId")
                @Column(name = "n") Long number; long userId; @PrePersist void late() { this.userId = 7; } }
            -> LateVisit | 'userId' | id=0 | key=7

            key of a superclass in the same table that is set too late
            @Entity class LateDog extends Animal { @PrePersist void late() { this.ownerId = 7; } }
            -> LateDog | 'ownerId' | id=13 | key=7

            key of an assigned id that is set too late
            @Entity class LateSeed extends Seed { { this.userId = 77L; } @PrePersist void late() { this.userId = 78L; } }
            -> LateSeed | 'userId' | id=77 | key=78
            """;

    private static final WrittenEntities WRITTEN = WrittenEntities.ofCases(
            """
                    abstract class Parts implements Serializable { abstract List<Object> parts();
                        @Override public boolean equals(Object other) { return other instanceof Parts o && parts().equals(o.parts()); }
                        @Override public int hashCode() { return parts().hashCode(); } }
                    """,
            CASES, REFUSED);

    private static ShardedIdEngine ids;

    private static TestUnit unit;

    @BeforeAll
    static void open() {
        ids = TestUnit.engine(1);
        unit = TestUnit.loadedBy(WRITTEN, Map.of(ShardedIdSettings.ENGINE, ids),
                Stream.concat(Stream.of(WRITTEN.of(CASES + REFUSED)), Stream.of(Like.class)).toArray(Class<?>[]::new));
    }

    @AfterAll
    static void close() {
        unit.close();
        ids.close();
    }

    static Stream<Arguments> cases() {
        return WrittenEntities.cases(CASES);
    }

    static Stream<Arguments> refused() {
        return WrittenEntities.cases(REFUSED);
    }

    private static Object last(String source) throws ReflectiveOperationException {
        String name = source.substring(source.lastIndexOf("class ") + 6).split(" ")[0];
        Constructor<?> maker = WRITTEN.loadClass("written." + name).getDeclaredConstructor();
        maker.setAccessible(true);
        return maker.newInstance();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refused")
    void keyThatLeadsToNoShardOrToAnotherIsRefused(String name, String source, String fields) throws Exception {
        Object row = last(source);
        unit.jdbc.drain();
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> unit.persist(row))
            .withMessageContainingAll(fields.split(" \\| "));
        assertThat(unit.jdbc.drain()).noneMatch((entry) -> entry.contains("insert"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void rowIsInTheShardOfItsKey(String name, String source, String expectation) throws Exception {
        int plus = expectation.indexOf(" +");
        int more = (plus < 0) ? 0 : Integer.parseInt(expectation.substring(plus + 2));
        String shard = (plus < 0) ? expectation : expectation.substring(0, plus);
        Object row = last(source);
        List<Object> rows = new ArrayList<>();
        collect(row, rows);
        rows.add(row);

        unit.jdbc.drain();
        unit.persist(rows.toArray());

        assertThat(unit.jdbc.drain()).filteredOn((entry) -> entry.startsWith("execute"))
            .hasSize(rows.size() + more)
            .noneMatch((entry) -> entry.contains("select"));
        Object id = unit.factory.getPersistenceUnitUtil().getIdentifier(row);
        assertThat(unit.<Object>fromTransaction((session) -> session.find(row.getClass(), id))).isNotNull();
        Object made = generated(row);
        assertThat((made instanceof UUID uuid) ? UuidLayout.parse(uuid).worker()
                : ids.layout().workerOf(Long.parseLong(String.valueOf(made))))
            .isOne();
        int expected = switch (shard.split(" ")[0]) {
            case "any" -> shardOf(made);
            case "key" -> ids.shardOf(ids.nextFor(shard.substring(4)));
            case "uuid" -> ids.shardOf(ids.nextFor(UUID.fromString(shard.substring(5))));
            case "parent" -> shardOf(generated(rows.get(0)));
            default -> Integer.parseInt(shard);
        };
        assertThat(shardOf(made)).isEqualTo(expected);
    }

    private static int shardOf(Object id) {
        return (id instanceof UUID uuid) ? UuidLayout.shardOf(uuid) : ids.shardOf(Long.parseLong(String.valueOf(id)));
    }

    @ParameterizedTest
    @ValueSource(longs = { 0, -1, Long.MIN_VALUE })
    void scalarThatHoldsNoIdIsRefused(long none) {
        Like like = new Like(none);
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> unit.persist(like))
            .withMessageContainingAll("value='" + none + "'", Like.class.getName(), "shardKey");
    }

    /** Adds the entities to which attributes lead, the first ones first. */
    private static void collect(Object object, List<Object> found) throws IllegalAccessException {
        for (Field field : fields(object)) {
            Object value = field.get(object);
            if (value != null && field.getType().isAnnotationPresent(Embeddable.class)) {
                collect(value, found);
            }
            else if (value != null && value.getClass().isAnnotationPresent(Entity.class)) {
                collect(value, found);
                found.add(value);
            }
        }
    }

    /** Returns the id that was generated, wherever it stands, or null. */
    private static Object generated(Object object) throws ReflectiveOperationException {
        for (Class<?> type = object.getClass(); type != Object.class; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                if (method.isAnnotationPresent(ShardedId.class)) {
                    method.setAccessible(true);
                    return method.invoke(object);
                }
            }
        }
        for (Field field : fields(object)) {
            Object value = field.get(object);
            if (field.isAnnotationPresent(ShardedId.class)) {
                return value;
            }
            Object inside = (value != null && field.getType().isAnnotationPresent(Embeddable.class)) ? generated(value)
                    : null;
            if (inside != null) {
                return inside;
            }
        }
        return null;
    }

    private static List<Field> fields(Object object) {
        List<Field> fields = new ArrayList<>();
        for (Class<?> type = object.getClass(); type != Object.class
                && type != Record.class; type = type.getSuperclass()) {
            fields.addAll(List.of(type.getDeclaredFields()));
        }
        fields.forEach((field) -> field.setAccessible(true));
        return fields;
    }

}
