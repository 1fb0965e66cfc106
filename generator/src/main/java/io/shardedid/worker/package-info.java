/**
 * Worker leases: the port behind which they come, and their sources. No Hibernate, no
 * Spring.
 */
@NullMarked
package io.shardedid.worker;

import org.jspecify.annotations.NullMarked;
