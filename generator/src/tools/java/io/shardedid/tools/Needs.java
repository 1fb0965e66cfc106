package io.shardedid.tools;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The tools that a test class needs. Where one of them is missing, the class is skipped,
 * or fails if the environment says {@code CI=true}. It is decided before anything of the
 * class runs, its other extensions included.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsCondition.class)
public @interface Needs {

    Tool[] value();

}
