package io.shardedid.testdb;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.shardedid.tools.Tool;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * The servers on which a test runs: MySQL where {@link Tool#MYSQL} is found, and the
 * others always. With {@code CI=true} a MySQL that is missing fails the test.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ArgumentsSource(EachServerArguments.class)
public @interface EachServer {

    /** The servers that it does not run on. */
    TestServer[] except() default {};

}
