/**
 * What the packages and modules of this project share and applications do not need: the
 * ports between an engine and its leases, and parts of messages.
 */
@NullMarked
package io.shardedid.internal;

import org.jspecify.annotations.NullMarked;
