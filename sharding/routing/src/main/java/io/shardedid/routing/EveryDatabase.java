package io.shardedid.routing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an entity whose rows are in every database, such as countries and plans.
 * Migrations fill its table in each database, reads take the database of their
 * transaction, and writes have to go through {@link Shards#inEach}.
 *
 * @since 0.1
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface EveryDatabase {

}
