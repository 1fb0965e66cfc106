/**
 * What holds for every request: headers, foreign sites, conversions.
 */
@NullMarked
package io.shardedid.sample.web;

import org.jspecify.annotations.NullMarked;
