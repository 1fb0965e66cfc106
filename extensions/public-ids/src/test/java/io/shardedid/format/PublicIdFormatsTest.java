package io.shardedid.format;

import java.util.List;
import java.util.UUID;

import io.shardedid.PublicId;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.config.JsonAsString;
import jakarta.persistence.Entity;
import jakarta.persistence.MappedSuperclass;
import org.junit.jupiter.api.Test;

import static io.shardedid.PublicIdForm.CONFIGURED;
import static io.shardedid.PublicIdForm.CROCKFORD;
import static io.shardedid.PublicIdForm.DECIMAL;
import static io.shardedid.PublicIdForm.SEALED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class PublicIdFormatsTest {

    private static final SealingKeys KEYS = SealingKeys.of("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");

    private static final String REMEDY = "; make a key with 'openssl rand -base64 32', and set 'shardedid.sealing.keys'";

    private static final String HERE = PublicIdFormatsTest.class.getName() + "$";

    private final PublicIdFormats crockford = PublicIdFormats.of(CROCKFORD, null);

    private final PublicIdFormats sealed = PublicIdFormats.of(SEALED, KEYS);

    @Test
    void entityWithoutAnnotationHasTheFormOfAll() {
        assertThat(new PublicIdFormats().forEntity(Plain.class)).hasToString("decimal");
        assertThat(this.crockford.forEntity(Plain.class)).hasToString("crockford");
        assertThat(this.crockford.withoutEntity()).hasToString("crockford");
        assertThat(this.crockford.form()).isEqualTo(CROCKFORD);
    }

    @Test
    void annotationSetsFormAndPrefixEachForItself() {
        assertThat(new PublicIdFormats().forEntity(Prefixed.class)).hasToString("decimal with prefix 'pre_'");
        assertThat(this.crockford.forEntity(Prefixed.class)).hasToString("crockford with prefix 'pre_'");
        assertThat(this.crockford.forEntity(Shown.class)).hasToString("decimal");
        assertThat(PublicIdFormats.of(DECIMAL, KEYS).forEntity(Hidden.class)).hasToString("sealed with prefix 'hid_'");
    }

    @Test
    void subclassesHaveTheAnnotationOfTheNearestSuperclass() {
        assertThat(this.crockford.forEntity(SubOfPrefixed.class)).hasToString("crockford with prefix 'pre_'");
        assertThat(this.crockford.forEntity(SubWithItsOwn.class)).hasToString("crockford with prefix 'own_'");
    }

    @Test
    void tagIsTheSimpleNameOfTheTopmostEntity() {
        String text = PublicIdFormat.sealed(KEYS, "Plain").format(5);

        assertThat(this.sealed.forEntity(Plain.class).format(5)).isEqualTo(text);
        assertThat(this.sealed.forEntity(SubOfPlain.class).format(5)).isEqualTo(text);
        // a proxy of Hibernate is such a class
        assertThat(this.sealed.forEntity(new Plain() {
        }.getClass()).format(5)).isEqualTo(text);
        assertThat(this.sealed.forEntity(NoEntity.class).format(5))
            .isEqualTo(PublicIdFormat.sealed(KEYS, "NoEntity").format(5));
    }

    @Test
    void tagStaysWhenTheClassIsRenamed() {
        assertThat(this.sealed.forEntity(Renamed.class).format(5))
            .isEqualTo(PublicIdFormat.sealed(KEYS, "Plain").format(5));
        assertThat(this.sealed.forEntity(Prefixed.class).format(5))
            .isEqualTo(PublicIdFormat.sealed(KEYS, "Prefixed").prefixed("pre_").format(5));
    }

    @Test
    void refusesToSealWithoutAKeyOrAnEntity() {
        refused("'shardedid.form=sealed' needs a key: shardedid.sealing.keys=null (at least 1)" + REMEDY,
                () -> PublicIdFormats.of(SEALED, null));
        refused("Ids of '" + HERE + "Hidden' are sealed, and no key is set: shardedid.sealing.keys=null (at least 1)"
                + REMEDY, () -> this.crockford.forEntity(Hidden.class));
        refused("A sealed id needs its entity: shardedid.form=sealed, entity=null (its name is sealed with the id); name "
                + "it, as in '@JsonShardedId(Photo.class)'", this.sealed::withoutEntity);
        refused("'shardedid.form' must be one of decimal, crockford, base62, sealed: shardedid.form='configured'; name a "
                + "form", () -> PublicIdFormats.of(CONFIGURED, KEYS));
    }

    @Test
    void refusesAPrefixThatIsNone() {
        refused("'@PublicId' on '" + HERE + "Misspelt' makes no sense: prefix must be 1 to 15 of a-z and 0-9, a letter "
                + "first, and then '_', as 'pho_': prefix='Pho'", () -> this.crockford.forEntity(Misspelt.class));
    }

    @Test
    void attributesOfOtherTypesKeepTheirForm() {
        assertThat(this.crockford.forAttribute(Plain.class, "id", Long.class)).get().hasToString("crockford");
        assertThat(this.sealed.forAttribute(Plain.class, "id", long.class)).get().hasToString("sealed");
        assertThat(this.crockford.forAttribute(Plain.class, "id", UUID.class)).isEmpty();
        assertThat(this.sealed.forAttribute(Shown.class, "id", UUID.class)).isEmpty();
    }

    @Test
    void refusesFormsThatAnAttributeCannotHave() {
        refused("Attribute 'id' of '" + HERE
                + "Plain' cannot be sealed: type=java.util.UUID (long or Long, because one "
                + "block has no room for more and a tag); set '@PublicId(form = DECIMAL)' on the entity, which leaves "
                + "its ids as they are", () -> this.sealed.forAttribute(Plain.class, "id", UUID.class));
        refused("'@PublicId' on '" + HERE
                + "Prefixed' cannot set the form of 'id': type=java.lang.String (long or Long); "
                + "remove the annotation", () -> this.crockford.forAttribute(SubOfPrefixed.class, "id", String.class));
    }

    @Test
    void refusesEntitiesThatShareATag() {
        refused("Ids of '" + HERE + "Plain' and '" + HERE + "Renamed' are sealed with the same tag: tag='Plain'; set "
                + "'@PublicId(form = SEALED, tag = …)' on one of them",
                () -> this.sealed.refuseSharedTags(List.of(Plain.class, SubOfPlain.class, Shown.class, Renamed.class)));
        this.crockford.refuseSharedTags(List.of(Plain.class, Renamed.class));
        this.sealed.refuseSharedTags(List.of(Plain.class, SubOfPlain.class, Prefixed.class, SubOfPrefixed.class));
    }

    @Test
    void refusesEntitiesThatInheritOneTag() {
        refused("Ids of '" + HERE + "OneOfBase' and '" + HERE
                + "OtherOfBase' are sealed with the same tag: tag='Base'; "
                + "set '@PublicId(form = SEALED, tag = …)' on one of them",
                () -> PublicIdFormats.of(DECIMAL, KEYS)
                    .refuseSharedTags(List.of(OneOfBase.class, SubOfOne.class, OtherOfBase.class)));
        PublicIdFormats.of(DECIMAL, KEYS).refuseSharedTags(List.of(OneOfBase.class, SubOfOne.class, OwnOfBase.class));
    }

    /** A reference to the superclass would show the number. */
    @Test
    void refusesToSealASubclassAlone() {
        PublicIdFormats decimal = PublicIdFormats.of(DECIMAL, KEYS);
        refused("Ids of '" + HERE + "SealedSub' are sealed, and those of '" + HERE
                + "Plain', which it extends, are not: form=decimal (their rows have their ids in common); move "
                + "'@PublicId' to '" + HERE + "Plain'",
                () -> decimal.check(List.of(Plain.class, SealedSub.class), JsonAsString.TRUE));
        decimal.check(List.of(OneOfBase.class, SubOfOne.class, SubWithItsOwn.class, Shown.class), JsonAsString.TRUE);
        this.sealed.check(List.of(SealedSub.class), JsonAsString.TRUE);
    }

    @Test
    void showsNoKey() {
        assertThat(this.sealed).hasToString("PublicIdFormats[sealed]");
    }

    private static void refused(String message, Runnable work) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(work::run).withMessage(message);
    }

    @Entity
    static class Plain {

    }

    @Entity
    @PublicId(form = SEALED)
    static class SealedSub extends Plain {

    }

    @Entity
    static class SubOfPlain extends Plain {

    }

    static class NoEntity {

    }

    @Entity
    @PublicId(prefix = "pre_")
    static class Prefixed {

    }

    @Entity
    static class SubOfPrefixed extends Prefixed {

    }

    @Entity
    @PublicId(prefix = "own_")
    static class SubWithItsOwn extends Prefixed {

    }

    @Entity
    @PublicId(form = DECIMAL)
    static class Shown {

    }

    @Entity
    @PublicId(prefix = "hid_", form = SEALED)
    static class Hidden {

    }

    @Entity
    @PublicId(tag = "Plain")
    static class Renamed {

    }

    @MappedSuperclass
    @PublicId(form = SEALED)
    static class Base {

    }

    @Entity
    static class OneOfBase extends Base {

    }

    @Entity
    static class SubOfOne extends OneOfBase {

    }

    @Entity
    static class OtherOfBase extends Base {

    }

    @Entity
    @PublicId(form = SEALED, tag = "Own")
    static class OwnOfBase extends Base {

    }

    @PublicId(prefix = "Pho")
    static class Misspelt {

    }

}
