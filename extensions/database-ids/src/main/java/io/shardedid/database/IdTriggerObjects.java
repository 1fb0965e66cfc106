package io.shardedid.database;

import java.util.List;
import java.util.Locale;
import java.util.Objects;

import io.shardedid.hibernate.DatabaseIdentifier;
import io.shardedid.hibernate.ShardedIdService;

import org.hibernate.boot.model.naming.Identifier;
import org.hibernate.boot.model.relational.AuxiliaryDatabaseObject;
import org.hibernate.boot.model.relational.SqlStringGenerationContext;
import org.hibernate.boot.spi.MetadataImplementor;
import org.hibernate.dialect.Dialect;
import org.jspecify.annotations.Nullable;

/**
 * The functions and triggers of all entities whose ids the database makes, for the schema
 * export. Looks at the mapping when the schema is written: then it is complete on every
 * Hibernate.
 */
final class IdTriggerObjects implements AuxiliaryDatabaseObject {

    private static final long serialVersionUID = 1L;

    private final transient @Nullable MetadataImplementor mapping;

    private final transient @Nullable ShardedIdService service;

    IdTriggerObjects(MetadataImplementor mapping, ShardedIdService service) {
        this.mapping = mapping;
        this.service = service;
    }

    @Override
    public boolean appliesToDialect(Dialect dialect) {
        return TriggerMapping.supports(dialect);
    }

    @Override
    public boolean beforeTablesOnCreation() {
        return false;
    }

    @Override
    public String[] sqlCreateStrings(SqlStringGenerationContext context) {
        return statements(context, DatabaseIds::create);
    }

    /** An update replaces them in their places, so that no row is inserted without. */
    @Override
    public String[] sqlDropStrings(SqlStringGenerationContext context) {
        return known(this.service).updatesSchema() ? new String[0] : statements(context, DatabaseIds::drop);
    }

    private String[] statements(SqlStringGenerationContext context, Statements statements) {
        return statements.of(DatabaseIds.of(known(this.service).reader()), schema(context), triggers(context))
            .toArray(String[]::new);
    }

    private List<IdTrigger> triggers(SqlStringGenerationContext context) {
        return DatabaseIdentifier.of(known(this.mapping), known(this.service))
            .stream()
            .map((identifier) -> TriggerMapping.of(identifier, context.getDialect()).trigger(context))
            .toList();
    }

    /** Names without quotes mean the same in lower case. */
    private static String schema(SqlStringGenerationContext context) {
        Identifier schema = context.getDefaultSchema();
        return (schema == null) ? "" : schema.isQuoted() ? schema.getText() : schema.getText().toLowerCase(Locale.ROOT);
    }

    private static <T> T known(@Nullable T transientValue) {
        return Objects.requireNonNull(transientValue, "is not serialized");
    }

    @Override
    public String getExportIdentifier() {
        return "io.shardedid.database";
    }

    @FunctionalInterface
    private interface Statements {

        List<String> of(DatabaseIds ids, String schema, List<IdTrigger> triggers);

    }

}
