package io.shardedid.hibernate;

import java.io.Serializable;
import java.util.Objects;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.MapsId;
import jakarta.persistence.OneToOne;
import org.hibernate.AnnotationException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Shard keys that lead to an entity whose identifier is derived from another entity's.
 */
class DerivedIdentityTest {

    private static final String HERE = DerivedIdentityTest.class.getName() + "$";

    static ShardedIdEngine ids;

    static TestUnit unit;

    private final User user = new User();

    private final Profile profile = new Profile(this.user);

    @BeforeAll
    static void open() {
        ids = TestUnit.engine(26);
        unit = TestUnit.with(ids, User.class, Profile.class, Badge.class, SameBadge.class, Membership.class, Card.class,
                Tag.class, Label.class, Note.class);
    }

    @AfterAll
    static void close() {
        unit.close();
        ids.close();
    }

    @BeforeEach
    void persist() {
        unit.persist(this.user, this.profile);
        unit.jdbc.drain();
    }

    @Test
    void associationThatIsTheIdHandsTheShardOn() {
        Badge badge = new Badge(this.profile);
        unit.persist(badge);
        assertThat(ids.shardOf(badge.id)).isEqualTo(ids.shardOf(this.user.id));
    }

    @Test
    void pathMayEndAtTheIdBehind() {
        SameBadge badge = new SameBadge(this.profile);
        unit.persist(badge);
        assertThat(ids.shardOf(badge.id)).isEqualTo(ids.shardOf(this.user.id));
    }

    @Test
    void referenceIsReadWithoutASelect() {
        Badge badge = new Badge(null);
        unit.inTransaction((session) -> {
            badge.profile = session.getReference(Profile.class, this.profile);
            session.persist(badge);
            assertThat(ids.shardOf(badge.id)).isEqualTo(ids.shardOf(this.user.id));
        });
        assertThat(unit.jdbc.drain()).noneMatch((entry) -> entry.contains("select "));
    }

    @Test
    void partOfAnIdClassHandsTheShardOn() {
        User member = new User();
        Membership membership = new Membership(member, 7);
        unit.persist(member, membership);
        Card card = new Card(membership);
        unit.persist(card);
        assertThat(ids.shardOf(card.id)).isEqualTo(ids.shardOf(member.id));
    }

    @Test
    void partThatAnAssociationMapsHandsTheShardOn() {
        unit.inTransaction((session) -> {
            Tag tag = new Tag(session.find(User.class, this.user.id));
            Label label = new Label(tag);
            session.persist(tag);
            session.persist(label);
            assertThat(ids.shardOf(label.id)).isEqualTo(ids.shardOf(this.user.id));
        });
    }

    @Test
    void partBesideTheOneThatAnAssociationMapsIsAPlainKey() {
        unit.inTransaction((session) -> {
            Tag tag = new Tag(session.find(User.class, this.user.id));
            Note note = new Note(tag);
            session.persist(tag);
            session.persist(note);
            assertThat(ids.shardOf(note.id)).isEqualTo(ids.shardOfKey("lake"));
        });
    }

    @Test
    void entityWithAPlainKeyInItsIdMustHaveAnId() {
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> unit.persist(new Note(new Tag())))
            .withMessageContainingAll(HERE + "Note", "tag.id.word");
    }

    @Test
    void entityBehindMustHaveAnId() {
        assertThatExceptionOfType(ShardKeyException.class)
            .isThrownBy(() -> unit.persist(new Badge(new Profile(new User()))))
            .withMessageContainingAll(HERE + "Badge", "profile.user");
    }

    @Test
    void namesThePartThatWorks() {
        assertThatExceptionOfType(AnnotationException.class)
            .isThrownBy(() -> TestUnit.with(ids, User.class, Profile.class, OfWhole.class).close())
            .withMessageContainingAll("profile", HERE + "OfWhole.id", "profile.user");
    }

    @Test
    void leadsNotBeyondTheIdBehind() {
        assertThatExceptionOfType(AnnotationException.class)
            .isThrownBy(() -> TestUnit.with(ids, User.class, Profile.class, BeyondId.class).close())
            .withMessageContainingAll("profile.user.login", HERE + "BeyondId.id");
    }

    @Entity(name = "DerivedUser")
    static class User implements Serializable {

        private static final long serialVersionUID = 1L;

        @Id
        @ShardedId
        Long id;

        String login;

    }

    @Entity(name = "DerivedProfile")
    static class Profile implements Serializable {

        private static final long serialVersionUID = 1L;

        @Id
        @OneToOne(fetch = FetchType.LAZY)
        User user;

        protected Profile() {
        }

        Profile(User user) {
            this.user = user;
        }

    }

    @Entity(name = "DerivedBadge")
    static class Badge {

        @Id
        @ShardedId(shardKey = "profile.user")
        Long id;

        @ManyToOne(fetch = FetchType.LAZY)
        Profile profile;

        protected Badge() {
        }

        Badge(Profile profile) {
            this.profile = profile;
        }

    }

    @Entity(name = "DerivedSameBadge")
    static class SameBadge {

        @Id
        @ShardedId(shardKey = "profile.user.id")
        Long id;

        @ManyToOne
        Profile profile;

        protected SameBadge() {
        }

        SameBadge(Profile profile) {
            this.profile = profile;
        }

    }

    @Entity(name = "DerivedOfWhole")
    static class OfWhole {

        @Id
        @ShardedId(shardKey = "profile")
        Long id;

        @ManyToOne
        Profile profile;

    }

    @Entity(name = "DerivedBeyondId")
    static class BeyondId {

        @Id
        @ShardedId(shardKey = "profile.user.login")
        Long id;

        @ManyToOne
        Profile profile;

    }

    static class MembershipId implements Serializable {

        private static final long serialVersionUID = 1L;

        Long user;

        int number;

        @Override
        public boolean equals(Object other) {
            return other instanceof MembershipId that && Objects.equals(this.user, that.user)
                    && this.number == that.number;
        }

        @Override
        public int hashCode() {
            return Objects.hash(this.user, this.number);
        }

    }

    @Entity(name = "DerivedMembership")
    @IdClass(MembershipId.class)
    static class Membership {

        @Id
        @ManyToOne
        User user;

        @Id
        int number;

        protected Membership() {
        }

        Membership(User user, int number) {
            this.user = user;
            this.number = number;
        }

    }

    @Entity(name = "DerivedCard")
    static class Card {

        @Id
        @ShardedId(shardKey = "membership.user")
        Long id;

        @ManyToOne
        Membership membership;

        protected Card() {
        }

        Card(Membership membership) {
            this.membership = membership;
        }

    }

    @Embeddable
    record TagId(Long userId, String word) {
    }

    @Entity(name = "DerivedTag")
    static class Tag {

        @EmbeddedId
        TagId id;

        @MapsId("userId")
        @ManyToOne
        User user;

        protected Tag() {
        }

        Tag(User user) {
            this.id = new TagId(user.id, "lake");
            this.user = user;
        }

    }

    @Entity(name = "DerivedLabel")
    static class Label {

        @Id
        @ShardedId(shardKey = "tag.id.userId")
        Long id;

        @ManyToOne
        Tag tag;

        protected Label() {
        }

        Label(Tag tag) {
            this.tag = tag;
        }

    }

    @Entity(name = "DerivedNote")
    static class Note {

        @Id
        @ShardedId(shardKey = "tag.id.word")
        Long id;

        @ManyToOne
        Tag tag;

        protected Note() {
        }

        Note(Tag tag) {
            this.tag = tag;
        }

    }

}
