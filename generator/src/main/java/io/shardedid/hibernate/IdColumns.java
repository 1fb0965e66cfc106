package io.shardedid.hibernate;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

import io.shardedid.MessageText;
import io.shardedid.internal.lease.jdbc.Credentials;

import org.hibernate.boot.Metadata;
import org.hibernate.engine.jdbc.connections.spi.JdbcConnectionAccess;
import org.hibernate.mapping.Collection;
import org.hibernate.mapping.Column;
import org.hibernate.mapping.Component;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.mapping.Property;
import org.hibernate.mapping.Table;
import org.hibernate.mapping.ToOne;
import org.hibernate.mapping.Value;
import org.hibernate.type.BasicType;
import org.jspecify.annotations.Nullable;

/**
 * Refuses columns of ids, and of references to them, that are too narrow: some databases
 * store another number there without a word. Tables that are not there yet are left
 * alone. Used once, when the session factory has been built.
 */
final class IdColumns {

    private static final System.Logger LOG = System.getLogger(IdColumns.class.getName());

    /** How many columns a message names. */
    private static final int NAMED = 10;

    private final Set<Place> places = new LinkedHashSet<>();

    private final BigDecimal largest;

    private final List<String> narrow = new ArrayList<>();

    IdColumns(long largestId) {
        this.largest = BigDecimal.valueOf(largestId);
    }

    /** Takes up an attribute that has ids. */
    void add(PersistentClass entity, Property property) {
        add(property.getValue());
        if (property.getType() instanceof BasicType<?> basic) {
            look(entity.getEntityName() + "." + property.getName(), basic.getJdbcType().getJdbcTypeCode(), 0, 0,
                    basic.getJdbcType().getFriendlyName());
        }
    }

    /**
     * Takes up the columns that refer to ids.
     * @param metadata the mapping
     * @param keyed the roots of hierarchies whose identifier is such an id
     */
    void addReferences(Metadata metadata, Set<PersistentClass> keyed) {
        for (PersistentClass entity : metadata.getEntityBindings()) {
            if (keyed.contains(entity.getRootClass())) {
                add(entity.getKey());
                entity.getJoinClosure().forEach((join) -> add(join.getKey()));
            }
            entity.getPropertyClosure().forEach((property) -> addTargets(metadata, keyed, property.getValue()));
        }
        for (Collection collection : metadata.getCollectionBindings()) {
            if (keyed.contains(collection.getOwner().getRootClass())) {
                add(collection.getKey());
            }
            addTargets(metadata, keyed, collection.getElement());
        }
    }

    private void addTargets(Metadata metadata, Set<PersistentClass> keyed, Value value) {
        if (value instanceof Component embeddable) {
            embeddable.getProperties().forEach((property) -> addTargets(metadata, keyed, property.getValue()));
        }
        else if (value instanceof ToOne association && association.isReferenceToPrimaryKey()
                && keyed.contains(metadata.getEntityBinding(association.getReferencedEntityName()).getRootClass())) {
            add(association);
        }
    }

    private void add(Value value) {
        value.getColumns().forEach((column) -> this.places.add(new Place(value.getTable(), column)));
    }

    /** Looks at the columns as the database has them. */
    void read(JdbcConnectionAccess access) {
        if (this.places.isEmpty()) {
            return;
        }
        try {
            Connection connection = access.obtainConnection();
            try {
                // SQLite calls all whole numbers INTEGER
                if (!connection.getMetaData().getDatabaseProductName().equals("SQLite")) {
                    for (Lookup lookup : this.places.stream().map(Lookup::of).collect(Collectors.toSet())) {
                        read(connection, lookup);
                    }
                }
                if (!connection.getAutoCommit()) {
                    connection.rollback();
                }
            }
            finally {
                access.releaseConnection(connection);
            }
        }
        catch (UnsupportedOperationException ex) {
            // the application brings a connection to each session
            LOG.log(System.Logger.Level.DEBUG, "No connection to look at the columns of ids by: {0}",
                    ex.getClass().getName());
        }
        catch (SQLException | RuntimeException ex) {
            LOG.log(System.Logger.Level.WARNING,
                    "Could not look at the columns of ids: {0}; see to it that they are BIGINT",
                    Credentials.of(null, null).without(ex).toString());
        }
    }

    /**
     * Ends the check.
     * @throws ShardedIdMappingException if a column is too narrow
     */
    void check() {
        if (!this.narrow.isEmpty()) {
            throw new ShardedIdMappingException(
                    ("Columns cannot hold sharded ids: %s%s (they must hold whole numbers up to %s); make them BIGINT, as %s "
                            + "says")
                        .formatted(this.narrow.stream().sorted().limit(NAMED).collect(Collectors.joining(", ")),
                                (this.narrow.size() > NAMED) ? " and %s more".formatted(this.narrow.size() - NAMED)
                                        : "",
                                this.largest, MessageText.page("docs/adopting.md#before-anything-else")));
        }
    }

    private void read(Connection connection, Lookup lookup) throws SQLException {
        DatabaseMetaData product = connection.getMetaData();
        String name = lookup.column();
        if (!lookup.quoted() && product.storesUpperCaseIdentifiers()) {
            name = name.toUpperCase(Locale.ROOT);
        }
        else if (!lookup.quoted() && product.storesLowerCaseIdentifiers()) {
            name = name.toLowerCase(Locale.ROOT);
        }
        try (ResultSet columns = product.getColumns(
                (lookup.catalog() != null) ? lookup.catalog() : connection.getCatalog(),
                (lookup.schema() != null) ? lookup.schema() : connection.getSchema(), "%", name)) {
            while (columns.next()) {
                String table = columns.getString("TABLE_NAME");
                String column = columns.getString("COLUMN_NAME");
                if (this.places.stream().anyMatch((place) -> place.is(lookup, table, column))) {
                    look(table + "." + column, columns.getInt("DATA_TYPE"), columns.getInt("COLUMN_SIZE"),
                            columns.getInt("DECIMAL_DIGITS"), columns.getString("TYPE_NAME"));
                }
            }
        }
    }

    private void look(String where, int type, int digits, int scale, String typeName) {
        BigDecimal end = end(type, digits, scale);
        if (end != null && end.compareTo(this.largest) <= 0) {
            this.narrow.add(where + " " + typeName.toLowerCase(Locale.ROOT));
        }
    }

    /**
     * The first whole number that a type cannot hold exactly; null if it holds any that
     * an id can be, or no numbers.
     */
    private static @Nullable BigDecimal end(int type, int digits, int scale) {
        return switch (type) {
            case Types.TINYINT, Types.SMALLINT, Types.INTEGER -> BigDecimal.valueOf(1L << 32);
            case Types.REAL -> BigDecimal.valueOf(1L << 24);
            case Types.FLOAT, Types.DOUBLE -> BigDecimal.valueOf(1L << 53);
            case Types.DECIMAL, Types.NUMERIC -> (digits > 0) ? BigDecimal.TEN.pow(Math.max(0, digits - scale)) : null;
            default -> null;
        };
    }

    /** A column of a table of the mapping. */
    private record Place(@Nullable Table table, Column column) {

        boolean is(Lookup lookup, String tableName, String columnName) {
            return this.table != null && Lookup.of(this).equals(lookup)
                    && this.table.getName().equalsIgnoreCase(tableName)
                    && this.column.getName().equalsIgnoreCase(columnName);
        }

    }

    /** What the database is asked for at once. */
    private record Lookup(@Nullable String catalog, @Nullable String schema, String column, boolean quoted) {

        static Lookup of(Place place) {
            Table table = place.table();
            return new Lookup((table != null) ? table.getCatalog() : null, (table != null) ? table.getSchema() : null,
                    place.column().getName(), place.column().isQuoted());
        }

    }

}
