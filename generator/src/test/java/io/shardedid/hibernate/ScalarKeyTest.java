package io.shardedid.hibernate;

import java.math.BigInteger;
import java.util.Map;
import java.util.UUID;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedId;
import io.shardedid.hibernate.ColocationModel.Like;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Shard keys that are one value of the entity.
 */
class ScalarKeyTest {

    @RegisterExtension
    static final OpenUnit unit = new OpenUnit(Keyless.class, ByLong.class, ByInt.class, ByInteger.class, ByShort.class,
            ByByte.class, ByBigInteger.class, ByString.class, ByUuid.class, ByEnum.class, ByEnumName.class, Like.class);

    @Test
    void noKey() {
        Keyless first = new Keyless();
        Keyless second = new Keyless();
        unit.persist(first, second);
        assertThat(second.id).isGreaterThan(first.id);
        assertThat(unit.shardOf(first.id)).isBetween(0, 1999);
    }

    @Test
    void numberLong() {
        ByLong entity = new ByLong();
        entity.userId = 4_002;
        assertThat(unit.statementsToPersist(entity)).containsExactly("insert");
        assertThat(unit.shardOf(entity.id)).isEqualTo(2);
    }

    @Test
    void numberInt() {
        ByInt entity = new ByInt();
        entity.userId = -1;
        assertThat(unit.statementsToPersist(entity)).containsExactly("insert");
        assertThat(unit.shardOf(entity.id)).isEqualTo(1999);
    }

    @Test
    void numberInteger() {
        ByInteger entity = new ByInteger();
        entity.userId = 2_001;
        assertThat(unit.statementsToPersist(entity)).containsExactly("insert");
        assertThat(unit.shardOf(entity.id)).isEqualTo(1);
    }

    @Test
    void numberShort() {
        ByShort entity = new ByShort();
        entity.userId = 2_003;
        assertThat(unit.statementsToPersist(entity)).containsExactly("insert");
        assertThat(unit.shardOf(entity.id)).isEqualTo(3);
    }

    @Test
    void numberByte() {
        ByByte entity = new ByByte();
        entity.userId = 4;
        assertThat(unit.statementsToPersist(entity)).containsExactly("insert");
        assertThat(unit.shardOf(entity.id)).isEqualTo(4);
    }

    @Test
    void numberBigInteger() {
        ByBigInteger entity = new ByBigInteger();
        entity.userId = BigInteger.TEN.pow(30).add(BigInteger.valueOf(5));
        assertThat(unit.statementsToPersist(entity)).containsExactly("insert");
        assertThat(unit.shardOf(entity.id)).isEqualTo(5);
    }

    @Test
    void text() {
        ByString entity = new ByString();
        entity.login = "ada";
        assertThat(unit.statementsToPersist(entity)).containsExactly("insert");
        assertThat(unit.shardOf(entity.id)).isEqualTo(unit.ids().shardOfKey("ada"));
    }

    @Test
    void uuid() {
        ByUuid entity = new ByUuid();
        entity.owner = UUID.fromString("123e4567-e89b-12d3-a456-426614174000");
        assertThat(unit.statementsToPersist(entity)).containsExactly("insert");
        assertThat(unit.shardOf(entity.id)).isEqualTo(unit.ids().shardOfKey(entity.owner));
    }

    @Test
    void enumByItsName() {
        ByEnum byOrdinal = new ByEnum();
        byOrdinal.region = Region.SOUTH;
        ByEnumName byName = new ByEnumName();
        byName.region = Region.SOUTH;
        assertThat(unit.statementsToPersist(byOrdinal, byName)).containsExactly("insert", "insert");
        assertThat(unit.shardOf(byOrdinal.id)).isEqualTo(unit.ids().shardOfKey("SOUTH"));
        assertThat(unit.shardOf(byName.id)).isEqualTo(unit.shardOf(byOrdinal.id));
    }

    /** The type of the key counts on both sides: the text of a number is another key. */
    @Test
    void agreesWithNextFor() {
        ByLong number = new ByLong();
        number.userId = 5;
        ByInteger smaller = new ByInteger();
        smaller.userId = 5;
        ByBigInteger wider = new ByBigInteger();
        wider.userId = BigInteger.valueOf(5);
        ByString text = new ByString();
        text.login = "5";
        ByUuid uuid = new ByUuid();
        uuid.owner = new UUID(5, 5);
        ByEnum constant = new ByEnum();
        constant.region = Region.NORTH;
        unit.persist(number, smaller, wider, text, uuid, constant);

        Map<Object, Long> ids = Map.of(number.userId, number.id, smaller.userId, smaller.id, wider.userId, wider.id,
                text.login, text.id, uuid.owner, uuid.id, constant.region, constant.id);
        assertThat(ids).allSatisfy((key, id) -> assertThat(unit.shardOf(unit.ids().nextFor(key))).as("%s", key)
            .isEqualTo(unit.shardOf(id)));
        assertThat(unit.shardOf(text.id)).isNotEqualTo(unit.shardOf(number.id));
    }

    @Test
    void scalarThatHoldsAShardedId() {
        Keyless user = new Keyless();
        unit.persist(user);
        Like like = new Like(user.id);
        assertThat(unit.statementsToPersist(like)).containsExactly("insert");
        assertThat(unit.shardOf(like.id)).isEqualTo(unit.shardOf(user.id));
    }

    @ParameterizedTest
    @ValueSource(longs = { 0, -1, Long.MIN_VALUE })
    void scalarThatHoldsNoId(long none) {
        Like like = new Like(none);
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> unit.persist(like))
            .withMessageContainingAll("value='" + none + "'", Like.class.getName(), "shardKey");
    }

    @Entity(name = "Keyless")
    static class Keyless {

        @Id
        @ShardedId
        Long id;

    }

    @Entity(name = "ByLong")
    static class ByLong {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        long userId;

    }

    @Entity(name = "ByInt")
    static class ByInt {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        int userId;

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

        Short userId;

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

    @Entity(name = "ByEnumName")
    static class ByEnumName {

        @Id
        @ShardedId(shardKey = "region")
        Long id;

        @Enumerated(EnumType.STRING)
        Region region;

    }

}
