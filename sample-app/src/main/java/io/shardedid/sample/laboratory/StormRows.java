package io.shardedid.sample.laboratory;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.shardedid.ShardedIds;
import io.shardedid.TimeSource;
import io.shardedid.routing.Shards;
import io.shardedid.shards.ShardMovedException;
import jakarta.persistence.EntityManager;
import jakarta.persistence.metamodel.EntityType;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
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

    /** Rows of one transaction where all shards are in one database. */
    private static final int BATCH = 250;

    /** Rows of one transaction where each transaction is in one shard. */
    private static final int BATCH_OF_A_SHARD = 25;

    private final EntityManager entities;

    private final TransactionTemplate transaction;

    private final JdbcTemplate sql;

    private final Shards shards;

    private final ShardedIds ids;

    private final @Nullable ShardMoves moves;

    private final TimeSource time = TimeSource.system();

    /** Begins a transaction again whose shard has moved away meanwhile. */
    private final RetryTemplate retry = new RetryTemplate(
            RetryPolicy.builder().includes(ShardMovedException.class).maxRetries(1).delay(Duration.ZERO).build());

    StormRows(EntityManager entities, TransactionTemplate transaction, JdbcTemplate sql, Shards shards, ShardedIds ids,
            ObjectProvider<ShardMoves> moves) {
        this.entities = entities;
        this.transaction = transaction;
        this.sql = sql;
        this.shards = shards;
        this.ids = ids;
        this.moves = moves.getIfAvailable();
    }

    /**
     * Returns the kinds that this application maps. Where there are several databases,
     * those are left out whose ids lead to none of them.
     */
    List<IdKind> kinds() {
        Set<Class<?>> mapped = this.entities.getMetamodel()
            .getEntities()
            .stream()
            .map(EntityType::getJavaType)
            .collect(Collectors.toSet());
        return Stream.of(IdKind.values()).filter((kind) -> mapped.contains(kind.type())).toList();
    }

    /** Returns how many rows a transaction inserts. */
    int batch() {
        return severalDatabases() ? BATCH_OF_A_SHARD : BATCH;
    }

    boolean severalDatabases() {
        return this.shards.map().databases().size() > 1;
    }

    /**
     * Inserts some rows in one transaction, as an application would: by Hibernate. Where
     * there are several databases, they are rows of one author, so that the transaction
     * stays in one shard.
     */
    void insert(IdKind kind, int rows) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        ShardMoves moving = this.moves;
        if (moving == null) {
            insert(kind, rows, () -> random.nextLong(AUTHORS));
            return;
        }
        long author = random.nextLong(AUTHORS);
        long began = this.time.nanoTime();
        this.retry.invoke(() -> this.shards.inShardFor(author, () -> insert(kind, rows, () -> author)));
        moving.written(this.ids.shardOfKey(author), this.time.nanoTime() - began);
    }

    private void insert(IdKind kind, int rows, LongSupplier author) {
        this.transaction.executeWithoutResult((status) -> {
            for (int i = 0; i < rows; i++) {
                this.entities.persist(kind.row(author.getAsLong()));
            }
        });
    }

    /** Runs what counts or removes rows, which shards on the move have in two places. */
    void whileNothingMoves(Runnable action) {
        ShardMoves moving = this.moves;
        if (moving != null) {
            moving.whileNothingMoves(action);
        }
        else {
            action.run();
        }
    }

    long count(IdKind kind) {
        return number("select count(*) from " + kind.table());
    }

    long countDifferentIds(IdKind kind) {
        return number("select count(distinct id) from " + kind.table());
    }

    void remove(IdKind kind) {
        this.shards.inEach(() -> this.sql.execute("truncate table " + kind.table()));
    }

    private long number(String query) {
        return this.shards.inEach(() -> this.sql.queryForObject(query, Long.class))
            .values()
            .stream()
            .mapToLong(Long::longValue)
            .sum();
    }

}
