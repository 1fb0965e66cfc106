package io.shardedid.hibernate;

import java.math.BigInteger;
import java.util.UUID;

import io.shardedid.ShardedId;
import io.shardedid.ShardedIds;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.MapsId;
import jakarta.persistence.OneToOne;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every form that a shard key can take, through real inserts.
 */
class ShardKeyFormsTest {

    static ShardedIds ids;

    static TestUnit unit;

    @BeforeAll
    static void open() {
        ids = TestUnit.engine(1);
        unit = TestUnit.with(ids, User.class, Keyless.class, ByLong.class, ByInteger.class, ByShort.class, ByByte.class,
                ByBigInteger.class, ByString.class, ByUuid.class, ByEnum.class, ByEmbeddable.class, ByRecord.class,
                ByProperty.class, Photo.class, PhotoByAuthorId.class, Like.class, Country.class, City.class,
                Profile.class, Badge.class, PrimitiveCountry.class, Village.class);
    }

    @AfterAll
    static void close() {
        unit.close();
        ids.close();
    }

    @Test
    void foundsItsOwnShardWithoutAKey() {
        Keyless first = new Keyless();
        Keyless second = new Keyless();
        unit.persist(first, second);
        assertThat(second.id).isGreaterThan(first.id);
        assertThat(ids.shardOf(first.id)).isBetween(0, 1999);
    }

    @Test
    void countsIntegersModuloTheShards() {
        ByLong byLong = new ByLong();
        byLong.userId = 4_002;
        ByInteger byInteger = new ByInteger();
        byInteger.userId = -1;
        ByShort byShort = new ByShort();
        byShort.userId = 2_003;
        ByByte byByte = new ByByte();
        byByte.userId = 4;
        ByBigInteger byBigInteger = new ByBigInteger();
        byBigInteger.userId = BigInteger.TEN.pow(30).add(BigInteger.valueOf(5));
        unit.persist(byLong, byInteger, byShort, byByte, byBigInteger);
        assertThat(ids.shardOf(byLong.id)).isEqualTo(2);
        assertThat(ids.shardOf(byInteger.id)).isEqualTo(1999);
        assertThat(ids.shardOf(byShort.id)).isEqualTo(3);
        assertThat(ids.shardOf(byByte.id)).isEqualTo(4);
        assertThat(ids.shardOf(byBigInteger.id)).isEqualTo(5);
    }

    @Test
    void takesStringsUuidsAndEnumsByTheShardFunction() {
        ByString byString = new ByString();
        byString.login = "ada";
        ByUuid byUuid = new ByUuid();
        byUuid.owner = UUID.fromString("123e4567-e89b-12d3-a456-426614174000");
        ByEnum byEnum = new ByEnum();
        byEnum.region = Region.SOUTH;
        unit.persist(byString, byUuid, byEnum);
        assertThat(ids.shardOf(byString.id)).isEqualTo(ids.shardFor("ada"));
        assertThat(ids.shardOf(byUuid.id)).isEqualTo(ids.shardFor(byUuid.owner));
        assertThat(ids.shardOf(byEnum.id)).isEqualTo(ids.shardFor(Region.SOUTH));
    }

    @Test
    void readsThroughEmbeddables() {
        ByEmbeddable byEmbeddable = new ByEmbeddable();
        byEmbeddable.owner = new Owner();
        byEmbeddable.owner.address = new Address(7);
        ByRecord byRecord = new ByRecord();
        byRecord.address = new Address(8);
        unit.persist(byEmbeddable, byRecord);
        assertThat(ids.shardOf(byEmbeddable.id)).isEqualTo(7);
        assertThat(ids.shardOf(byRecord.id)).isEqualTo(8);
    }

    @Test
    void readsByGettersUnderPropertyAccess() {
        ByProperty byProperty = new ByProperty();
        byProperty.setUserId(9L);
        unit.persist(byProperty);
        assertThat(ids.shardOf(byProperty.getId())).isEqualTo(9 + 1000);
    }

    @Test
    void takesOverTheShardOfAnAssociation() {
        User user = new User();
        Photo photo = new Photo();
        PhotoByAuthorId same = new PhotoByAuthorId();
        photo.author = user;
        same.author = user;
        unit.persist(user, photo, same);
        assertThat(ids.shardOf(photo.id)).isEqualTo(ids.shardOf(user.id));
        assertThat(ids.shardOf(same.id)).isEqualTo(ids.shardOf(user.id));
    }

    @Test
    void takesOverTheShardOfAScalar() {
        User user = new User();
        unit.persist(user);
        Like like = new Like();
        like.userId = user.id;
        unit.persist(like);
        assertThat(ids.shardOf(like.id)).isEqualTo(ids.shardOf(user.id));
    }

    @Test
    void takesANegativeIdForALegacyOneThatIsAPlainNumber() {
        Like like = new Like();
        like.userId = -3L;
        unit.persist(like);
        assertThat(ids.shardOf(like.id)).isEqualTo(1997);
    }

    @Test
    void countsThePlainIdOfAnAssociation() {
        Country country = new Country();
        country.id = 49L;
        City city = new City();
        city.country = country;
        PrimitiveCountry small = new PrimitiveCountry();
        small.id = 4_377;
        Village village = new Village();
        village.country = small;
        unit.persist(country, city, small, village);
        assertThat(ids.shardOf(city.id)).isEqualTo(49);
        assertThat(ids.shardOf(village.id)).isEqualTo(377);
    }

    @Test
    void takesOverTheShardOfAnIdThatIsSharedWithItsParent() {
        User user = new User();
        Profile profile = new Profile();
        profile.user = user;
        unit.persist(user, profile);
        Badge badge = new Badge();
        badge.profile = profile;
        unit.persist(badge);
        assertThat(profile.id).isEqualTo(user.id);
        assertThat(ids.shardOf(badge.id)).isEqualTo(ids.shardOf(user.id));
    }

    @Entity(name = "U")
    static class User {

        @Id
        @ShardedId
        Long id;

    }

    @Entity(name = "Keyless")
    static class Keyless {

        @Id
        @ShardedId
        long id;

    }

    @Entity(name = "ByLong")
    static class ByLong {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        long userId;

    }

    @Entity(name = "ByInteger")
    static class ByInteger {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        Integer userId;

    }

    @Entity(name = "ByShort")
    static class ByShort {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        short userId;

    }

    @Entity(name = "ByByte")
    static class ByByte {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        byte userId;

    }

    @Entity(name = "ByBigInteger")
    static class ByBigInteger {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        BigInteger userId;

    }

    @Entity(name = "ByString")
    static class ByString {

        @Id
        @ShardedId(shardKey = "login")
        Long id;

        String login;

    }

    @Entity(name = "ByUuid")
    static class ByUuid {

        @Id
        @ShardedId(shardKey = "owner")
        Long id;

        UUID owner;

    }

    enum Region {

        NORTH, SOUTH

    }

    @Entity(name = "ByEnum")
    static class ByEnum {

        @Id
        @ShardedId(shardKey = "region")
        Long id;

        Region region;

    }

    @Embeddable
    record Address(int region) {
    }

    @Embeddable
    static class Owner {

        Address address;

    }

    @Entity(name = "ByEmbeddable")
    static class ByEmbeddable {

        @Id
        @ShardedId(shardKey = "owner.address.region")
        Long id;

        @Embedded
        Owner owner;

    }

    @Entity(name = "ByRecord")
    static class ByRecord {

        @Id
        @ShardedId(shardKey = "address.region")
        Long id;

        Address address;

    }

    @Entity(name = "ByProperty")
    static class ByProperty {

        private Long identifier;

        private Long user;

        @Id
        @ShardedId(shardKey = "userId")
        public Long getId() {
            return this.identifier;
        }

        public void setId(Long id) {
            this.identifier = id;
        }

        public Long getUserId() {
            return (this.user != null) ? this.user + 1000 : null;
        }

        public void setUserId(Long userId) {
            this.user = userId;
        }

    }

    @Entity(name = "Photo")
    static class Photo {

        @Id
        @ShardedId(shardKey = "author")
        Long id;

        @ManyToOne(fetch = FetchType.LAZY)
        User author;

    }

    @Entity(name = "PhotoByAuthorId")
    static class PhotoByAuthorId {

        @Id
        @ShardedId(shardKey = "author.id")
        Long id;

        @ManyToOne(fetch = FetchType.LAZY)
        User author;

    }

    @Entity(name = "Likes")
    static class Like {

        @Id
        @ShardedId(colocateWith = "userId")
        Long id;

        Long userId;

    }

    @Entity(name = "Country")
    static class Country {

        @Id
        Long id;

    }

    @Entity(name = "City")
    static class City {

        @Id
        @ShardedId(shardKey = "country")
        Long id;

        @ManyToOne
        Country country;

    }

    @Entity(name = "PrimitiveCountry")
    static class PrimitiveCountry {

        @Id
        long id;

    }

    @Entity(name = "Village")
    static class Village {

        @Id
        @ShardedId(shardKey = "country")
        Long id;

        @ManyToOne
        PrimitiveCountry country;

    }

    @Entity(name = "Profile")
    static class Profile {

        @Id
        Long id;

        @MapsId
        @OneToOne
        User user;

    }

    @Entity(name = "Badge")
    static class Badge {

        @Id
        @ShardedId(shardKey = "profile")
        Long id;

        @ManyToOne
        Profile profile;

    }

}
