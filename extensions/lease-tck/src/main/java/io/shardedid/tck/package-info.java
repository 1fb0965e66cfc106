/**
 * The contract of a store of leases: whoever writes a store, or wants to use a database
 * on which nobody has tried the lease table, lets these tests run.
 */
@NullMarked
package io.shardedid.tck;

import org.jspecify.annotations.NullMarked;
