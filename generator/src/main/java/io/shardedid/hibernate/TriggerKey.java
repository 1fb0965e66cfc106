package io.shardedid.hibernate;

import java.util.List;
import java.util.UUID;

import io.shardedid.database.KeyKind;
import io.shardedid.key.NumberForm;
import io.shardedid.key.ShardOfKey;

import org.hibernate.mapping.Column;
import org.hibernate.mapping.OneToOne;
import org.hibernate.mapping.Selectable;
import org.hibernate.mapping.ToOne;
import org.hibernate.mapping.Value;
import org.hibernate.type.BasicType;
import org.hibernate.type.CustomType;
import org.hibernate.type.SqlTypes;
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
     * @param mapping the shard key
     * @return the column and what it holds
     * @throws ShardedIdMappingException if the row has none, or its value means something
     * else there
     */
    static TriggerKey of(ShardKeyMapping mapping) {
        ShardKey key = mapping.key();
        MappedAttribute attribute = mapping.attribute();
        Column column = column(mapping.declaration(), attribute.property().getValue());
        MappedAttribute value = (attribute.property().getValue() instanceof ToOne association)
                ? identifier(mapping.declaration(), (ShardKey.Association) key, association) : attribute;
        return new TriggerKey(column, key.optional(), (key.shard() instanceof ShardOfKey.HomeOfId carried)
                ? carried(mapping.declaration(), carried, value) : plain(mapping.declaration(), value));
    }

    private static Column column(ShardKeyDeclaration declaration, Value value) {
        if (value instanceof OneToOne || value instanceof ToOne association && !association.isReferenceToPrimaryKey()) {
            throw unreadable(declaration, "does not lead to the id of a target by a column of this row");
        }
        if (!value.getTable().equals(declaration.entity().getTable())) {
            throw unreadable(declaration, "is not in the row that gets the id: table='%s', table of the id='%s'"
                .formatted(value.getTable().getName(), declaration.entity().getTable().getName()));
        }
        List<Selectable> columns = value.getSelectables();
        if (columns.size() != 1 || !(columns.get(0) instanceof Column column)) {
            throw unreadable(declaration,
                    "must be one column: columns=%s".formatted(columns.stream().map(Selectable::getText).toList()));
        }
        return column;
    }

    private static MappedAttribute identifier(ShardKeyDeclaration declaration, ShardKey.Association key,
            ToOne association) {
        if (key.target().part().length() > 0) {
            throw unreadable(declaration, "is a part of the composite id of '%s'".formatted(key.target().entityName()));
        }
        var target = association.getMetadata().getEntityBinding(association.getReferencedEntityName());
        return MappedAttribute.of(target, target.getIdentifierProperty());
    }

    private static KeyKind carried(ShardKeyDeclaration declaration, ShardOfKey.HomeOfId carried,
            MappedAttribute attribute) {
        if (carried.form() != NumberForm.Plain.NUMBER) {
            throw unreadable(declaration,
                    "must lead to an id that is a number: type=%s".formatted(attribute.type().getName()));
        }
        return KeyKind.SHARDED_ID;
    }

    private static KeyKind plain(ShardKeyDeclaration declaration, MappedAttribute attribute) {
        Class<?> type = attribute.type();
        if (attribute.property().getType() instanceof BasicType<?> basic && !(basic instanceof CustomType<?>)
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
        throw unreadable(declaration,
                ("is stored as a trigger cannot read it: type=%s (integers, texts, enums by their names and UUIDs in "
                        + "columns of such a type, without a converter)")
                    .formatted(type.getName()));
    }

    private static ShardedIdMappingException unreadable(ShardKeyDeclaration declaration, String why) {
        return declaration.refused(why, "name another key, or use strategy APPLICATION");
    }

}
