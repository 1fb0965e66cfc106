package io.shardedid.spring.web;

import java.util.Set;

import io.shardedid.format.PublicIdFormats;
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

    private static final TypeDescriptor NUMBER = TypeDescriptor.valueOf(Long.class);

    private final ConversionService entities;

    private final PublicIdFormats formats;

    EntityByText(ConversionService entities, PublicIdFormats formats) {
        this.entities = entities;
        this.formats = formats;
    }

    @Override
    public Set<ConvertiblePair> getConvertibleTypes() {
        return Set.of(new ConvertiblePair(String.class, Object.class));
    }

    @Override
    public boolean matches(TypeDescriptor source, TypeDescriptor target) {
        return ShardedEntities.otherFormOfIdentifier(target.getType(), this.formats).isPresent()
                && this.entities.canConvert(NUMBER, target);
    }

    @Override
    public @Nullable Object convert(@Nullable Object text, TypeDescriptor source, TypeDescriptor target) {
        return (text == null) ? null
                : ShardedEntities.otherFormOfIdentifier(target.getType(), this.formats)
                    .map((format) -> IdFormatterFactory.read((String) text, format))
                    .map((id) -> this.entities.convert(id, NUMBER, target))
                    .orElse(null);
    }

}
