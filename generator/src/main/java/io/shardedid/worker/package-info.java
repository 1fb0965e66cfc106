/**
 * Worker leases: the port behind which they come, the protocol and the keeper. The
 * package sees no JDBC, no Hibernate and no Spring.
 */
@NullMarked
package io.shardedid.worker;

import org.jspecify.annotations.NullMarked;
