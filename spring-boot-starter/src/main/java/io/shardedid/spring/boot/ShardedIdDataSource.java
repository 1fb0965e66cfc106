package io.shardedid.spring.boot;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Qualifier of the {@code DataSource} bean from which worker ids are leased, where it is
 * not the application's only or primary one, or where its class does not tell that all of
 * its connections lead to one database. On the class of an
 * {@code AbstractRoutingDataSource}, it means the default target.
 *
 * @since 0.1
 */
@Target({ ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Qualifier
public @interface ShardedIdDataSource {

}
