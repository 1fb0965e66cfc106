/**
 * Who holds which worker id.
 */
@NullMarked
package io.shardedid.sample.worker;

import org.jspecify.annotations.NullMarked;
