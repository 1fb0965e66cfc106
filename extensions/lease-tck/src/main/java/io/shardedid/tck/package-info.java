/**
 * The contract of a store of leases. If you write a store, or want to use a database on
 * which the lease table was never tried, run these tests.
 */
@NullMarked
package io.shardedid.tck;

import org.jspecify.annotations.NullMarked;
