/**
 * Users: who they are, signing up, and the visitor of a session.
 */
@NullMarked
package io.shardedid.sample.user;

import org.jspecify.annotations.NullMarked;
