package io.shardedid.database;

import io.shardedid.hibernate.DatabaseIdentifier;
import io.shardedid.hibernate.ShardedIdMappingException;

import org.hibernate.boot.model.relational.SqlStringGenerationContext;
import org.hibernate.dialect.Dialect;
import org.hibernate.dialect.PostgreSQLDialect;
import org.hibernate.mapping.Column;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.mapping.Table;
import org.hibernate.mapping.UnionSubclass;
import org.jspecify.annotations.Nullable;

/**
 * What a trigger has to know of an entity to make its ids, found out on the boot model.
 *
 * @param table the table of the root entity
 * @param id the column of the identifier
 * @param key the shard key, null if the trigger chooses the shard
 */
record TriggerMapping(Table table, Column id, @Nullable TriggerKey key) {

    /** Returns whether the database behind a dialect makes ids. */
    static boolean supports(Dialect dialect) {
        return dialect instanceof PostgreSQLDialect;
    }

    /**
     * Reads the mapping of an identifier that the database makes.
     * @throws ShardedIdMappingException if a trigger cannot make it
     */
    static TriggerMapping of(DatabaseIdentifier identifier, Dialect dialect) {
        if (!supports(dialect)) {
            throw identifier.refused("needs PostgreSQL: dialect=%s".formatted(dialect.getClass().getName()),
                    "use strategy APPLICATION");
        }
        if (identifier.allowAssigned()) {
            throw identifier.refused("cannot keep assigned ids: allowAssigned=true",
                    "leave that out, or use strategy APPLICATION");
        }
        if (identifier.type() != Long.class) {
            throw identifier.refused("must be a number: type=%s (long, Long)".formatted(identifier.type().getName()),
                    "change the type, or use strategy APPLICATION");
        }
        PersistentClass entity = identifier.entity();
        if (entity.getDirectSubclasses().stream().anyMatch(UnionSubclass.class::isInstance)) {
            throw identifier.refused("cannot be inherited by a table per class, which would be a trigger each",
                    "use strategy APPLICATION, or another inheritance");
        }
        return new TriggerMapping(entity.getTable(), identifier.attribute().getValue().getColumns().get(0),
                identifier.key().map((key) -> TriggerKey.of(identifier, key)).orElse(null));
    }

    /** The trigger, with names as the database of the schema export spells them. */
    IdTrigger trigger(SqlStringGenerationContext context) {
        String on = context.format(this.table.getQualifiedTableName());
        String idColumn = this.id.getQuotedName(context.getDialect());
        TriggerKey of = this.key;
        if (of == null) {
            return IdTrigger.keyless(on, idColumn);
        }
        IdTrigger trigger = IdTrigger.keyed(on, idColumn, of.kind(), of.column().getQuotedName(context.getDialect()));
        return of.optional() ? trigger.withOptionalKey() : trigger;
    }

}
