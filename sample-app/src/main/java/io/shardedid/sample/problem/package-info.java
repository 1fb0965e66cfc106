/**
 * What went wrong, as ProblemDetail for programs and as a page for browsers.
 */
@NullMarked
package io.shardedid.sample.problem;

import org.jspecify.annotations.NullMarked;
