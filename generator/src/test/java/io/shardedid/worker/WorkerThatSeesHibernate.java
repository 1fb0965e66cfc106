package io.shardedid.worker;

import io.shardedid.hibernate.ShardedIdValueGenerator;

/** Breaks a rule of the architecture, so that its test can be seen to find it. */
public class WorkerThatSeesHibernate {

    Class<?> generator = ShardedIdValueGenerator.class;

}
