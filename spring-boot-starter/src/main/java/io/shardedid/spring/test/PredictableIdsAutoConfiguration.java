package io.shardedid.spring.test;

import io.shardedid.spring.boot.ShardedIdAutoConfiguration;
import io.shardedid.test.TestClock;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Import;

/**
 * {@link EnableAutoConfiguration Auto-configuration} that brings the engine into slices
 * of a test that have no database, where {@link PredictableIds} asks for one.
 */
@AutoConfiguration
@ConditionalOnBean(TestClock.class)
@Import(ShardedIdAutoConfiguration.class)
public final class PredictableIdsAutoConfiguration {

    PredictableIdsAutoConfiguration() {
    }

}
