/**
 * The page that shows what works on which database and which Hibernate, made from test
 * reports.
 */
@NullMarked
package io.shardedid.compatibility;

import org.jspecify.annotations.NullMarked;
