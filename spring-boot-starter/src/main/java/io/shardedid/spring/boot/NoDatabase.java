package io.shardedid.spring.boot;

import java.util.List;

import javax.sql.DataSource;

import io.shardedid.LeaseSource;
import io.shardedid.WorkerLeaseException;
import io.shardedid.WorkerLeases;
import io.shardedid.WorkerMode;
import io.shardedid.internal.lease.LeaseFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Recognizes a context without a database. Layouts, shards of keys and parsing work
 * there, and the first id fails with the reason.
 */
final class NoDatabase {

    /** An application without JPA has no such class. */
    private static final String ENTITY_MANAGER_FACTORY = "jakarta.persistence.EntityManagerFactory";

    private NoDatabase() {
    }

    /**
     * Returns whether a worker id would have to be leased and there is nowhere to lease
     * it. Nothing is made to find out.
     */
    static boolean in(ListableBeanFactory beans, ShardedIdProperties properties) {
        WorkerMode mode = properties.worker().mode();
        return (mode == null || mode == WorkerMode.LEASE) && properties.worker().lease().url() == null
                && !has(LeaseSource.class, beans) && !has(DataSource.class, beans) && !hasEntityManagerFactory(beans);
    }

    private static boolean hasEntityManagerFactory(ListableBeanFactory beans) {
        ClassLoader loader = NoDatabase.class.getClassLoader();
        return ClassUtils.isPresent(ENTITY_MANAGER_FACTORY, loader)
                && has(ClassUtils.resolveClassName(ENTITY_MANAGER_FACTORY, loader), beans);
    }

    private static boolean has(Class<?> type, ListableBeanFactory beans) {
        return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false).length > 0;
    }

    /** Returns the source of such a context, which refuses every id. */
    static WorkerLeases workers() {
        return LeaseFactory.none("no-database", NoDatabase::refusal);
    }

    private static WorkerLeaseException refusal() {
        String action = "Configure a 'DataSource' or set 'shardedid.worker.lease.url', which says where worker ids are "
                + "leased. Tests can use '@PredictableIds' of 'shardedid-test', which needs no database.";
        return new WorkerLeaseException("Could not make an id: this application context has nowhere to lease a worker "
                + "id: beans of type 'DataSource'=0, beans of type 'EntityManagerFactory'=0, "
                + "shardedid.worker.lease.url=null (shardedid.worker.mode=lease); configure a 'DataSource', set "
                + "'shardedid.worker.lease.url', or use '@PredictableIds' in a test", false, action, null);
    }

}
