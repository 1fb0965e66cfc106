package io.shardedid.sample.laboratory;

import java.util.concurrent.ThreadLocalRandom;

import jakarta.persistence.EntityManager;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The tables of a storm.
 */
@Component
class StormRows {

    /** As many as would fill each of the default shards. */
    private static final int AUTHORS = 2000;

    private final EntityManager entities;

    private final TransactionTemplate transaction;

    private final JdbcTemplate sql;

    StormRows(EntityManager entities, TransactionTemplate transaction, JdbcTemplate sql) {
        this.entities = entities;
        this.transaction = transaction;
        this.sql = sql;
    }

    /** Inserts some rows in one transaction, as an application would: by Hibernate. */
    void insert(IdKind kind, int rows) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        this.transaction.executeWithoutResult((status) -> {
            for (int i = 0; i < rows; i++) {
                this.entities.persist(kind.row(random.nextLong(AUTHORS)));
            }
        });
    }

    long count(IdKind kind) {
        return number("select count(*) from " + kind.table());
    }

    long countDifferentIds(IdKind kind) {
        return number("select count(distinct id) from " + kind.table());
    }

    void remove(IdKind kind) {
        this.sql.execute("truncate table " + kind.table());
    }

    private long number(String query) {
        Long number = this.sql.queryForObject(query, Long.class);
        return (number != null) ? number : 0;
    }

}
