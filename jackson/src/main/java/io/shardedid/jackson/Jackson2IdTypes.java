package io.shardedid.jackson;

import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JavaType;

/**
 * What {@link IdTypes} does, for Jackson 2.
 */
final class Jackson2IdTypes {

    private Jackson2IdTypes() {
    }

    static boolean holdIds(JavaType type, Predicate<JavaType> inner) {
        return IdMark.isNumber(type.getRawClass()) || elements(type).anyMatch(inner);
    }

    private static Stream<JavaType> elements(JavaType type) {
        if (type.isContainerType()) {
            return type.isMapLikeType() ? Stream.of(type.getKeyType(), type.getContentType())
                    : Stream.of(type.getContentType());
        }
        // optionals, references, entries, streams and their like
        return type.getRawClass().getName().startsWith("java.")
                ? IntStream.range(0, type.containedTypeCount()).mapToObj(type::containedType) : Stream.empty();
    }

}
