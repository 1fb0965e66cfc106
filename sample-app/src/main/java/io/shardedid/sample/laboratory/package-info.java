/**
 * Shows and tries what the ids do: the dashboard, the workers, the storm of rows, and
 * chaos at the push of a button. An application needs none of it. What is worth copying
 * is in the other packages.
 */
@NullMarked
package io.shardedid.sample.laboratory;

import org.jspecify.annotations.NullMarked;
