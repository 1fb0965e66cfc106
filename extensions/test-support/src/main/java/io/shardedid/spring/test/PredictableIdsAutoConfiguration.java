package io.shardedid.spring.test;

import io.shardedid.test.TestClock;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.type.AnnotationMetadata;

/**
 * {@link EnableAutoConfiguration Auto-configuration} that brings the engine into slices
 * of a test that have no database, where {@link PredictableIds} asks for one.
 */
@AutoConfiguration
@ConditionalOnClass(name = PredictableIdsAutoConfiguration.ENGINE)
@ConditionalOnBean(TestClock.class)
@Import(PredictableIdsAutoConfiguration.ByName.class)
final class PredictableIdsAutoConfiguration {

    static final String ENGINE = "io.shardedid.spring.boot.ShardedIdAutoConfiguration";

    PredictableIdsAutoConfiguration() {
    }

    /** The starter uses this module in its tests, so this module does not see it. */
    static final class ByName implements ImportSelector {

        @Override
        public String[] selectImports(AnnotationMetadata importing) {
            return new String[] { ENGINE };
        }

    }

}
