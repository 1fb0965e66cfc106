/**
 * Worker leases: the port behind which they come, the protocol and the keeper. The
 * package sees no JDBC, no Hibernate and no Spring.
 */
@NullMarked
package io.shardedid.internal.lease;

import org.jspecify.annotations.NullMarked;
