package io.shardedid.routing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs a method of a bean in the shard that an argument leads to: the id of a row. The
 * scope is opened before the transaction of the method begins. If that transaction
 * suspends another one ({@code REQUIRES_NEW}), the other one may be in another shard.
 *
 * @since 0.1
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface InShardOf {

    /**
     * Leads from the arguments to the id of a row, in the expression language of Spring.
     * @return an expression for the id, such as #photoId
     */
    String value();

}
