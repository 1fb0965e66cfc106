/**
 * The forms of an id outside the database: the texts in a URL or in a file. The package
 * sees nothing but the core and the JDK.
 */
@NullMarked
package io.shardedid.format;

import org.jspecify.annotations.NullMarked;
