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

    /**
     * Creates a path.
     * @param text the path as the annotation spells it
     * @param getters one a segment, the first reads the entity
     */
    AttributePath {
        getters = List.copyOf(getters);
    }

    /** Reads the value, or null if it or an embeddable on the way to it is null. */
    @Nullable Object read(Object from) {
        return below(first(from));
    }

    /**
     * Returns the attribute of the entity that the path begins with.
     * @return its name
     */
    String root() {
        int end = this.text.indexOf('.');
        return (end < 0) ? this.text : this.text.substring(0, end);
    }

    /**
     * Reads the first segment.
     * @param from the entity
     * @return the value, or null
     */
    @Nullable Object first(Object from) {
        return this.getters.isEmpty() ? from : this.getters.get(0).get(from);
    }

    /**
     * Reads the other segments off the value of the first.
     * @param first the value of the first segment, or null
     * @return the value, or null if it or an embeddable on the way to it is null
     */
    @Nullable Object below(@Nullable Object first) {
        Object value = first;
        for (int i = 1; i < this.getters.size() && value != null; i++) {
            value = this.getters.get(i).get(value);
        }
        return value;
    }

}
