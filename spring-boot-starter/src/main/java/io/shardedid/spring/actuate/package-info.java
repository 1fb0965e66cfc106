/**
 * What operators see: metrics, health and the endpoint {@code shardedid}.
 */
@NullMarked
package io.shardedid.spring.actuate;

import org.jspecify.annotations.NullMarked;
