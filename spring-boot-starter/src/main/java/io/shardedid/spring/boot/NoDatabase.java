package io.shardedid.spring.boot;

import java.util.Map;

import javax.sql.DataSource;

import io.shardedid.LeaseSource;
import io.shardedid.WorkerMode;
import io.shardedid.internal.config.ShardedIdKey;
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
    static boolean in(ListableBeanFactory beans, Map<String, ?> settings) {
        return settings.get(ShardedIdKey.WORKER_MODE.externalName()) != WorkerMode.FIXED
                && settings.get(ShardedIdKey.LEASE_URL.externalName()) == null && !has(LeaseSource.class, beans)
                && !has(DataSource.class, beans) && !hasEntityManagerFactory(beans);
    }

    private static boolean hasEntityManagerFactory(ListableBeanFactory beans) {
        ClassLoader loader = NoDatabase.class.getClassLoader();
        return ClassUtils.isPresent(ENTITY_MANAGER_FACTORY, loader)
                && has(ClassUtils.resolveClassName(ENTITY_MANAGER_FACTORY, loader), beans);
    }

    private static boolean has(Class<?> type, ListableBeanFactory beans) {
        return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false).length > 0;
    }

}
