package io.shardedid.routing;

import java.sql.SQLException;
import java.util.function.Supplier;

import jakarta.persistence.EntityManager;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.orm.jpa.vendor.HibernateJpaDialect;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DelegatingTransactionDefinition;
import org.springframework.transaction.support.ResourceTransactionDefinition;

/**
 * How Spring begins transactions in Hibernate, where their connection is not known yet:
 * the router gives the connection the isolation level as soon as it has one. And what the
 * router refuses reaches the caller as it is, also from a commit.
 */
@SuppressWarnings("serial") // every dialect is Serializable, none is serialized
final class RoutedJpaDialect extends HibernateJpaDialect {

    private static final long serialVersionUID = 1L;

    private final transient Supplier<ShardBindings> bindings;

    RoutedJpaDialect(Supplier<ShardBindings> bindings) {
        this.bindings = bindings;
    }

    @Override
    public Object beginTransaction(EntityManager entities, TransactionDefinition definition) throws SQLException {
        return super.beginTransaction(entities,
                (definition.getIsolationLevel() != TransactionDefinition.ISOLATION_DEFAULT)
                        ? new IsolatedLater(definition) : definition);
    }

    @Override
    public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException ex) {
        RuntimeException failure = this.bindings.get().failure(ex);
        if (Refusals.in(failure) != null) {
            throw failure;
        }
        return super.translateExceptionIfPossible(ex);
    }

    /** A transaction whose isolation level does not concern Hibernate. */
    private static final class IsolatedLater extends DelegatingTransactionDefinition
            implements ResourceTransactionDefinition {

        private final boolean local;

        IsolatedLater(TransactionDefinition definition) {
            super(definition);
            this.local = definition instanceof ResourceTransactionDefinition resource && resource.isLocalResource();
        }

        @Override
        public int getIsolationLevel() {
            return ISOLATION_DEFAULT;
        }

        @Override
        public boolean isLocalResource() {
            return this.local;
        }

    }

}
