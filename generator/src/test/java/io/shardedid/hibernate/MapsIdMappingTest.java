package io.shardedid.hibernate;

import java.util.Objects;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedId;
import io.shardedid.hibernate.AssociationModel.User;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.MapsId;
import jakarta.persistence.OneToOne;
import org.hibernate.id.IdentifierGenerationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * {@code @MapsId}: rows that share the id of their parent, or hold it as a part of
 * theirs.
 */
class MapsIdMappingTest {

    @RegisterExtension
    static final OpenUnit unit = new OpenUnit(User.class, Profile.class, Badge.class, TextUser.class, TextProfile.class,
            TextBadge.class, Tenant.class, Membership.class, Seat.class);

    @Test
    void sharedId() {
        User user = new User();
        Profile profile = new Profile();
        profile.user = user;
        assertThat(unit.statementsToPersist(user, profile)).containsExactly("insert", "insert");
        assertThat(profile.id).isEqualTo(user.id);
    }

    @Test
    void sharedIdHandsTheShardOn() {
        User user = new User();
        Profile profile = new Profile();
        profile.user = user;
        Badge badge = new Badge();
        badge.profile = profile;
        assertThat(unit.statementsToPersist(user, profile, badge)).containsExactly("insert", "insert", "insert");
        assertThat(unit.shardOf(badge.id)).isEqualTo(unit.shardOf(user.id));
    }

    @Test
    void sharedTextIdHandsTheShardOn() {
        TextUser user = new TextUser();
        TextProfile profile = new TextProfile();
        profile.user = user;
        TextBadge badge = new TextBadge();
        badge.profile = profile;
        assertThat(unit.statementsToPersist(user, profile, badge)).containsExactly("insert", "insert", "insert");
        assertThat(unit.shardOf(badge.id)).isEqualTo(unit.shardOf(Long.parseLong(user.id)));
    }

    @Test
    void partOfTheId() {
        Tenant tenant = new Tenant();
        Membership membership = new Membership();
        membership.tenant = tenant;
        assertThat(unit.statementsToPersist(tenant, membership)).containsExactly("insert", "insert");
        assertThat(membership.id.tenant).isEqualTo(tenant.id);
        assertThat(unit.shardOf(membership.id.number)).isEqualTo(unit.shardOf(tenant.id));
    }

    /** Hibernate fills the part after it asked for the id. */
    @Test
    void partOfTheIdAsTheKey() {
        Tenant tenant = new Tenant();
        Seat seat = new Seat();
        seat.tenant = tenant;
        assertThat(unit.statementsToPersist(tenant, seat)).containsExactly("insert", "insert");
        assertThat(seat.id.tenant).isEqualTo(tenant.id);
        assertThat(unit.shardOf(seat.id.number)).isEqualTo(unit.shardOf(tenant.id));
    }

    /** The key is there, and Hibernate says itself that it needs the association. */
    @Test
    void partOfTheIdAsTheKeyIsReadWhereTheAssociationIsNotSet() {
        Seat seat = new Seat();
        seat.id.tenant = unit.ids().next(7);
        assertThatThrownBy(() -> unit.statementsToPersist(seat)).isInstanceOf(IdentifierGenerationException.class);
    }

    @Test
    void partOfTheIdAsTheKeyNeedsAParentWithAnId() {
        Seat seat = new Seat();
        seat.tenant = new Tenant();
        assertThatThrownBy(() -> unit.statementsToPersist(seat)).isInstanceOf(ShardKeyException.class)
            .hasMessageContaining("shard key 'id.tenant' is a '" + Tenant.class.getName() + "' without an id");
    }

    @Entity(name = "SharedProfile")
    static class Profile {

        @Id
        Long id;

        @MapsId
        @OneToOne
        User user;

    }

    @Entity(name = "SharedBadge")
    static class Badge {

        @Id
        @ShardedId(shardKey = "profile")
        Long id;

        @ManyToOne
        Profile profile;

    }

    @Entity(name = "SharedTextUser")
    static class TextUser {

        @Id
        @ShardedId
        @Column(length = 19)
        String id;

    }

    @Entity(name = "SharedTextProfile")
    static class TextProfile {

        @Id
        String id;

        @MapsId
        @OneToOne
        TextUser user;

    }

    @Entity(name = "SharedTextBadge")
    static class TextBadge {

        @Id
        @ShardedId(shardKey = "profile")
        Long id;

        @ManyToOne
        TextProfile profile;

    }

    @Entity(name = "SharedTenant")
    static class Tenant {

        @Id
        @ShardedId
        Long id;

    }

    @Embeddable
    static class MembershipId {

        Long tenant;

        @ShardedId(shardKey = "tenant")
        @Column(name = "member_number")
        Long number;

        @Override
        public boolean equals(Object other) {
            return other instanceof MembershipId that && Objects.equals(this.tenant, that.tenant)
                    && Objects.equals(this.number, that.number);
        }

        @Override
        public int hashCode() {
            return Objects.hash(this.tenant, this.number);
        }

    }

    @Embeddable
    static class SeatId {

        Long tenant;

        @ShardedId(colocateWith = "id.tenant")
        @Column(name = "seat_number")
        Long number;

        @Override
        public boolean equals(Object other) {
            return other instanceof SeatId that && Objects.equals(this.tenant, that.tenant)
                    && Objects.equals(this.number, that.number);
        }

        @Override
        public int hashCode() {
            return Objects.hash(this.tenant, this.number);
        }

    }

    @Entity(name = "SharedSeat")
    static class Seat {

        @EmbeddedId
        SeatId id = new SeatId();

        @MapsId("tenant")
        @ManyToOne
        Tenant tenant;

    }

    @Entity(name = "SharedMembership")
    static class Membership {

        @EmbeddedId
        MembershipId id = new MembershipId();

        @MapsId("tenant")
        @ManyToOne
        Tenant tenant;

    }

}
