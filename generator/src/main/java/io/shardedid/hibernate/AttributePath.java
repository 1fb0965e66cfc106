package io.shardedid.hibernate;

import java.util.List;

import org.hibernate.property.access.spi.Getter;
import org.jspecify.annotations.Nullable;

/**
 * A property path, resolved to the getters that read it.
 *
 * @param text the path as the annotation spells it
 * @param getters one a segment, the first reads the entity
 */
record AttributePath(String text, List<Getter> getters) {

    AttributePath {
        getters = List.copyOf(getters);
    }

    /** Reads the value, or null if it or an embeddable on the way to it is null. */
    @Nullable Object read(Object from) {
        Object value = from;
        for (int i = 0; i < this.getters.size() && value != null; i++) {
            value = this.getters.get(i).get(value);
        }
        return value;
    }

}
