package io.shardedid.hibernate;

/**
 * What {@link EnhancedReferenceTest}, whose class loader is another, calls of its
 * entities.
 */
public interface EnhancedRow {

    Long id();

    void setOwner(Object owner);

}
