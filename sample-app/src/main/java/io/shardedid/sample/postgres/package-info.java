/**
 * A PostgreSQL server of the sample's own, out of a jar.
 */
@NullMarked
package io.shardedid.sample.postgres;

import org.jspecify.annotations.NullMarked;
