/**
 * The forms of an id outside the database: the texts in a URL or in a file. Nothing here
 * needs Spring or Hibernate.
 */
@NullMarked
package io.shardedid.format;

import org.jspecify.annotations.NullMarked;
