package io.shardedid.worker.table;

import org.hibernate.dialect.Dialect;

/** Breaks the rule that the lease table is reached without Hibernate. */
public class TableThatSeesHibernate {

    Dialect dialect;

}
