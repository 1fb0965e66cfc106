/**
 * Shows what the ids do: the dashboard, and who holds which worker id.
 */
@NullMarked
package io.shardedid.sample.dashboard;

import org.jspecify.annotations.NullMarked;
