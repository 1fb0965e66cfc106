package io.shardedid.hibernate;

import java.util.Arrays;
import java.util.List;

import org.hibernate.property.access.spi.Getter;
import org.jspecify.annotations.Nullable;

/**
 * A property path, resolved to the getters that read it. Immutable.
 */
final class AttributePath {

    private final String text;

    private final String root;

    private final List<Getter> getters;

    /** Makes a path of one getter a segment, of which the first reads the entity. */
    AttributePath(String text, List<Getter> getters) {
        int end = text.indexOf('.');
        this.text = text;
        this.root = (end < 0) ? text : text.substring(0, end);
        this.getters = List.copyOf(getters);
    }

    /** The path as the annotation spells it. */
    String text() {
        return this.text;
    }

    /** How many segments are read, which is none where the value itself is the key. */
    int length() {
        return this.getters.size();
    }

    /** Whether the path begins with an attribute. */
    boolean beginsWith(@Nullable String attribute) {
        return this.root.equals(attribute);
    }

    /** The position of the attribute that the path begins with, or -1. */
    int indexIn(String[] attributes) {
        return Arrays.asList(attributes).indexOf(this.root);
    }

    /** Reads the value, or null if it or an embeddable on the way to it is null. */
    @Nullable Object read(Object from) {
        return this.getters.isEmpty() ? from : below(this.getters.get(0).get(from));
    }

    /** Reads the other segments off the value of the first, as {@link #read} does. */
    @Nullable Object below(@Nullable Object first) {
        Object value = first;
        for (int i = 1; i < this.getters.size() && value != null; i++) {
            value = this.getters.get(i).get(value);
        }
        return value;
    }

}
