package io.shardedid.format.spring;

import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

import io.shardedid.jackson.IdText;
import io.shardedid.jackson.IdTexts;
import io.shardedid.jackson.JsonIds;
import io.shardedid.key.ShardedAttribute;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.core.convert.converter.ConditionalGenericConverter;

/**
 * Reads the id in front of Spring Data's own converter, which loads the entity that a
 * path variable or a request parameter names, where the ids of the entity have another
 * form than the plain number. That converter would take the number.
 */
final class EntityByText implements ConditionalGenericConverter {

    /** Under the name that {@code extensions/public-ids/README.md} gives. */
    private static final Log LOG = LogFactory.getLog("io.shardedid.spring.web.EntityByText");

    private static final TypeDescriptor NUMBER = TypeDescriptor.valueOf(Long.class);

    private final ConversionService entities;

    private final IdTexts formats;

    EntityByText(ConversionService entities, IdTexts formats) {
        this.entities = entities;
        this.formats = formats;
    }

    @Override
    public Set<ConvertiblePair> getConvertibleTypes() {
        return Set.of(new ConvertiblePair(String.class, Object.class));
    }

    @Override
    public boolean matches(TypeDescriptor source, TypeDescriptor target) {
        return form(target.getType(), this.formats).isPresent() && this.entities.canConvert(NUMBER, target);
    }

    @Override
    public @Nullable Object convert(@Nullable Object text, TypeDescriptor source, TypeDescriptor target) {
        return (text == null) ? null
                : form(target.getType(), this.formats).map((format) -> read((String) text, format))
                    .map((id) -> this.entities.convert(id, NUMBER, target))
                    .orElse(null);
    }

    /**
     * Returns the form of what identifies an entity; other frameworks look it up by that.
     * @return the form, or empty for the plain number, for a type of its own form, and
     * for a class without sharded ids
     */
    static Optional<IdText> form(Class<?> type, IdTexts formats) {
        return ShardedAttribute.of(type)
            .filter((attribute) -> Arrays.stream(attribute.member().getAnnotations())
                .anyMatch((mark) -> mark.annotationType().getSimpleName().equals("Id")))
            .flatMap((attribute) -> formats.forAttribute(type, attribute.name(), attribute.type()).stream())
            .filter((format) -> !format.plain())
            .findFirst();
    }

    static Long read(String text, IdText format) {
        return JsonIds.read(text, format, LOG::debug);
    }

}
