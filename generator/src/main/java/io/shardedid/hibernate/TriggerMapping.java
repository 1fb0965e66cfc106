package io.shardedid.hibernate;

import java.util.Optional;

import io.shardedid.IdStrategy;
import io.shardedid.ShardedId;
import io.shardedid.database.IdTrigger;

import org.hibernate.boot.model.relational.SqlStringGenerationContext;
import org.hibernate.dialect.Dialect;
import org.hibernate.dialect.PostgreSQLDialect;
import org.hibernate.mapping.Column;
import org.hibernate.mapping.Component;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.mapping.Property;
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

    /** What an entity says about its identifier, if the database is to make it. */
    static Optional<ShardedId> declared(PersistentClass entity) {
        Property id = entity.isInherited() ? null : entity.getIdentifierProperty();
        return (id == null || id.getValue() instanceof Component || entity.getMappedClass() == null) ? Optional.empty()
                : MappedAttribute.of(entity, id)
                    .annotation(ShardedId.class)
                    .filter((annotation) -> annotation.strategy() == IdStrategy.DATABASE);
    }

    /**
     * Reads the mapping of an identifier that the database makes.
     * @param key the shard key, null for none
     * @throws ShardedIdMappingException if a trigger cannot make them
     */
    static TriggerMapping of(ShardedId annotation, PersistentClass entity, @Nullable ShardKeyMapping key,
            Dialect dialect) {
        Property id = entity.getIdentifierProperty();
        if (!supports(dialect)) {
            throw refused(entity, id, "needs PostgreSQL: dialect=%s".formatted(dialect.getClass().getName()),
                    "use strategy APPLICATION");
        }
        if (annotation.allowAssigned()) {
            throw refused(entity, id, "cannot keep assigned ids: allowAssigned=true",
                    "leave that out, or use strategy APPLICATION");
        }
        MappedAttribute attribute = MappedAttribute.of(entity, id);
        if (attribute.type() != Long.class) {
            throw refused(entity, id, "must be a number: type=%s (long, Long)".formatted(attribute.type().getName()),
                    "change the type, or use strategy APPLICATION");
        }
        if (entity.getDirectSubclasses().stream().anyMatch(UnionSubclass.class::isInstance)) {
            throw refused(entity, id, "cannot be inherited by a table per class, which would be a trigger each",
                    "use strategy APPLICATION, or another inheritance");
        }
        return new TriggerMapping(entity.getTable(), id.getValue().getColumns().get(0),
                (key != null) ? TriggerKey.of(key) : null);
    }

    static ShardedIdMappingException refused(PersistentClass entity, Property id, String why, String whatToDo) {
        return new ShardedIdMappingException("'@ShardedId(strategy = DATABASE)' on '%s.%s' %s; %s"
            .formatted(entity.getEntityName(), id.getName(), why, whatToDo));
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
