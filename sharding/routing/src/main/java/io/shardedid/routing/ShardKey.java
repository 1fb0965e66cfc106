package io.shardedid.routing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the parameter of a repository's method that leads to the shard of the query: the
 * shard key. A query derived from the name of its method does not need it if the name
 * says that this attribute equals a parameter.
 * <p>
 * A collection may hold shard keys of one database. A query over several databases fails
 * with a {@link io.shardedid.shards.CrossShardException}, unless it is called in
 * {@link Shards#merge} or {@link Shards#inEach}.
 *
 * @since 0.1
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface ShardKey {

}
