package io.shardedid.database;

import java.util.List;
import java.util.UUID;

import io.shardedid.hibernate.DatabaseIdentifier;
import io.shardedid.hibernate.ShardedIdMappingException;
import io.shardedid.key.NumberForm;
import io.shardedid.key.ShardOfKey;

import org.hibernate.mapping.Column;
import org.hibernate.mapping.OneToOne;
import org.hibernate.mapping.Property;
import org.hibernate.mapping.Selectable;
import org.hibernate.mapping.Table;
import org.hibernate.mapping.ToOne;
import org.hibernate.mapping.Value;
import org.hibernate.type.BasicType;
import org.hibernate.type.CustomType;
import org.hibernate.type.SqlTypes;
import org.hibernate.type.Type;
import org.hibernate.type.descriptor.converter.spi.JpaAttributeConverter;
import org.hibernate.type.descriptor.jdbc.JdbcType;

/**
 * A shard key as a trigger sees it: a column of the row, not an attribute.
 *
 * @param column the column
 * @param optional whether the column may be null
 * @param kind what it holds
 */
record TriggerKey(Column column, boolean optional, KeyKind kind) {

    /**
     * Finds the column of a shard key.
     * @param identifier the identifier of the row
     * @param key its shard key
     * @return the column and what it holds
     * @throws ShardedIdMappingException if the row has none, or its value means something
     * else there
     */
    static TriggerKey of(DatabaseIdentifier identifier, DatabaseIdentifier.Key key) {
        Column column = column(identifier, key.attribute().getValue());
        Property value = key.value();
        if (value == null) {
            throw identifier.refusedKey("is a part of the composite id of '%s'"
                .formatted(((ToOne) key.attribute().getValue()).getReferencedEntityName()));
        }
        return new TriggerKey(column, key.optional(), (key.shard() instanceof ShardOfKey.HomeOfId carried)
                ? carried(identifier, carried, key.type()) : plain(identifier, value.getType(), key.type()));
    }

    private static Column column(DatabaseIdentifier identifier, Value value) {
        if (value instanceof OneToOne || value instanceof ToOne association && !association.isReferenceToPrimaryKey()) {
            throw identifier.refusedKey("does not lead to the id of a target by a column of this row");
        }
        Table table = identifier.entity().getTable();
        if (!value.getTable().equals(table)) {
            throw identifier.refusedKey("is not in the row that gets the id: table='%s', table of the id='%s'"
                .formatted(value.getTable().getName(), table.getName()));
        }
        List<Selectable> columns = value.getSelectables();
        if (columns.size() != 1 || !(columns.get(0) instanceof Column column)) {
            throw identifier.refusedKey(
                    "must be one column: columns=%s".formatted(columns.stream().map(Selectable::getText).toList()));
        }
        return column;
    }

    private static KeyKind carried(DatabaseIdentifier identifier, ShardOfKey.HomeOfId carried, Class<?> type) {
        if (carried.form() != NumberForm.Plain.NUMBER) {
            throw identifier.refusedKey("must lead to an id that is a number: type=%s".formatted(type.getName()));
        }
        return KeyKind.SHARDED_ID;
    }

    private static KeyKind plain(DatabaseIdentifier identifier, Type mapped, Class<?> type) {
        if (mapped instanceof BasicType<?> basic && !(basic instanceof CustomType<?>)
                && !(basic.getValueConverter() instanceof JpaAttributeConverter)) {
            JdbcType stored = basic.getJdbcType();
            int code = stored.getDefaultSqlTypeCode();
            if (stored.isInteger()
                    && (type == Long.class || type == Integer.class || type == Short.class || type == Byte.class)) {
                return KeyKind.NUMBER;
            }
            if (stored.isString() && type == String.class
                    || type.isEnum() && (stored.isString() || code == SqlTypes.ENUM || code == SqlTypes.NAMED_ENUM)) {
                return KeyKind.TEXT;
            }
            if (type == UUID.class && (stored.isString() || code == SqlTypes.UUID)) {
                return KeyKind.UUID;
            }
        }
        throw identifier.refusedKey(
                ("is stored as a trigger cannot read it: type=%s (integers, texts, enums by their names and UUIDs in "
                        + "columns of such a type, without a converter)")
                    .formatted(type.getName()));
    }

}
