/**
 * The inspector on the command line.
 */
@NullMarked
package io.shardedid.cli;

import org.jspecify.annotations.NullMarked;
