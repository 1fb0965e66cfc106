/**
 * The configuration: its keys with their types and defaults, and the settings that are
 * read from them once. The package sees no Hibernate.
 */
@NullMarked
package io.shardedid.internal.config;

import org.jspecify.annotations.NullMarked;
