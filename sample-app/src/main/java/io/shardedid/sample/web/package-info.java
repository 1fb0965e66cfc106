/**
 * What holds for every request: headers and foreign sites.
 */
@NullMarked
package io.shardedid.sample.web;

import org.jspecify.annotations.NullMarked;
