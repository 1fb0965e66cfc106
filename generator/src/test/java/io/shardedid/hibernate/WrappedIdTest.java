package io.shardedid.hibernate;

import java.util.regex.Pattern;

import io.shardedid.ShardedId;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import org.hibernate.AnnotationException;
import org.hibernate.annotations.JavaType;
import org.hibernate.type.descriptor.WrapperOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Ids that are a value class of the application: by a {@code @JavaType} of its own. The
 * other way, a record as {@code @EmbeddedId}, is in {@link KeyMappingTest}.
 */
class WrappedIdTest {

    private static final String HERE = WrappedIdTest.class.getName() + "$";

    @RegisterExtension
    static final OpenUnit unit = new OpenUnit(Photo.class, Tag.class, Event.class);

    @Test
    void javaTypeOfTheApplication() {
        Photo photo = new Photo();
        photo.userId = 31;
        assertThat(unit.statementsToPersist(photo)).containsExactly("insert");
        assertThat(unit.shardOf(photo.id.number())).isEqualTo(31);
        assertThat(unit.find(Photo.class, photo.id).userId).isEqualTo(31);
    }

    @Test
    void handsTheShardOnWhenDetached() {
        Photo photo = new Photo();
        photo.userId = 32;
        unit.persist(photo);
        Tag tag = new Tag();
        tag.photo = photo;
        assertThat(unit.statementsToPersist(tag)).containsExactly("insert");
        assertThat(unit.shardOf(tag.id.number())).isEqualTo(32);
    }

    @Test
    void keepsAnAssignedValue() {
        Event event = new Event();
        event.id = new PhotoId(unit.ids().next(33));
        PhotoId assigned = event.id;
        unit.persist(event);
        assertThat(unit.find(Event.class, assigned)).isNotNull();
    }

    @Test
    void hibernateAllowsNoConverterOnAnId() {
        assertThatExceptionOfType(AnnotationException.class)
            .isThrownBy(() -> TestUnit.with(unit.ids(), Converted.class).close())
            // from 7.0 on; 6.6 ignores the converter, and then the type is none of ours
            .withMessageMatching(".*'(id|" + Pattern.quote(HERE) + "Converted.id)'.*");
    }

    @Test
    void refusesAnIdWhoseAutoAppliedConverterHibernateIgnores() {
        assertThatExceptionOfType(AnnotationException.class)
            .isThrownBy(() -> TestUnit.with(unit.ids(), AutoConverted.class, PhotoId.NumberConverter.class).close())
            .withMessageContainingAll(fields("AutoConverted", PhotoId.class));
    }

    @Test
    void refusesATypeThatDropsBits() {
        assertThatExceptionOfType(AnnotationException.class)
            .isThrownBy(() -> TestUnit.with(unit.ids(), WithNarrow.class).close())
            .withMessageContainingAll(fields("WithNarrow", PhotoId.class));
    }

    private static String[] fields(String entity, Class<?> type) {
        return new String[] { HERE + entity + ".id", "type=" + type.getName(), "@EmbeddedId" };
    }

    @Entity(name = "WrappedPhoto")
    static class Photo {

        @Id
        @ShardedId(shardKey = "userId")
        @JavaType(PhotoId.Descriptor.class)
        PhotoId id;

        long userId;

    }

    @Entity(name = "WrappedTag")
    static class Tag {

        @Id
        @ShardedId(shardKey = "photo")
        @JavaType(PhotoId.Descriptor.class)
        PhotoId id;

        @ManyToOne(fetch = FetchType.LAZY)
        Photo photo;

    }

    @Entity(name = "WrappedEvent")
    static class Event {

        @Id
        @ShardedId(allowAssigned = true)
        @JavaType(PhotoId.Descriptor.class)
        PhotoId id;

    }

    @Entity
    static class Converted {

        @Id
        @ShardedId
        @Convert(converter = PhotoId.NumberConverter.class)
        PhotoId id;

    }

    @Entity
    static class AutoConverted {

        @Id
        @ShardedId
        PhotoId id;

    }

    /** Keeps 32 bits of an id. */
    static class Narrow extends PhotoId.Descriptor {

        private static final long serialVersionUID = 1L;

        @Override
        public <X> PhotoId wrap(X value, WrapperOptions options) {
            PhotoId id = super.wrap(value, options);
            return (id != null) ? new PhotoId((int) id.number()) : null;
        }

    }

    @Entity
    static class WithNarrow {

        @Id
        @ShardedId
        @JavaType(Narrow.class)
        PhotoId id;

    }

}
