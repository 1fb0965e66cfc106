package io.shardedid.hibernate;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

import io.shardedid.internal.MessageText;
import org.hibernate.boot.Metadata;
import org.hibernate.dialect.Dialect;
import org.hibernate.dialect.PostgreSQLDialect;
import org.hibernate.engine.jdbc.connections.spi.JdbcConnectionAccess;
import org.hibernate.mapping.Collection;
import org.hibernate.mapping.Column;
import org.hibernate.mapping.Component;
import org.hibernate.mapping.IndexedCollection;
import org.hibernate.mapping.OneToOne;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.mapping.Property;
import org.hibernate.mapping.Table;
import org.hibernate.mapping.ToOne;
import org.hibernate.mapping.Value;
import org.hibernate.type.BasicType;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;

/**
 * Refuses columns of ids, and of references to them, that hold no such id: some databases
 * store or find another row there without a word. Tables that are not there yet are left
 * alone. Used once, when the session factory has been built.
 */
final class IdColumns {

    private static final System.Logger LOG = System.getLogger(IdColumns.class.getName());

    /** How many columns a message names. */
    private static final int NAMED = 10;

    private final Map<Place, Need> needs = new LinkedHashMap<>();

    private final Metadata metadata;

    private final Dialect dialect;

    private final BigDecimal largest;

    private final List<String> unfit = new ArrayList<>();

    private final Set<String> cures = new LinkedHashSet<>();

    IdColumns(Metadata metadata, Dialect dialect, long largestId) {
        this.metadata = metadata;
        this.dialect = dialect;
        this.largest = BigDecimal.valueOf(largestId);
    }

    /** Takes up an attribute whose ids are made here. */
    void add(PersistentClass entity, Property property) {
        if (property.getType() instanceof BasicType<?> basic) {
            Need need = Need.of(basic, true);
            property.getColumns().forEach((column) -> put(property.getValue().getTable(), column, need));
            int type = basic.getJdbcType().getJdbcTypeCode();
            if (!need.text && !need.uuid && !need.fits(type, 0, 0, "", this.largest)) {
                this.unfit.add(entity.getEntityName() + "." + property.getName() + " "
                        + basic.getJdbcType().getFriendlyName().toLowerCase(Locale.ROOT));
            }
        }
    }

    /** Takes up a scalar that holds an id of another row. */
    void addReference(Property property) {
        if (property.getType() instanceof BasicType<?> basic) {
            property.getColumns()
                .forEach((column) -> put(property.getValue().getTable(), column, Need.of(basic, false)));
        }
    }

    /** Takes up the columns that refer to ids, and those that refer to such columns. */
    void addReferences() {
        int before;
        do {
            before = this.needs.size();
            for (PersistentClass entity : this.metadata.getEntityBindings()) {
                refer(entity.getTable(), entity.getKey().getColumns(), entity.getIdentifier());
                entity.getJoinClosure()
                    .forEach((join) -> refer(join.getTable(), join.getKey().getColumns(), entity.getIdentifier()));
                addTargets(entity.getIdentifier());
                entity.getPropertyClosure().forEach((property) -> addTargets(property.getValue()));
            }
            for (Collection collection : this.metadata.getCollectionBindings()) {
                refer(collection.getCollectionTable(), collection.getKey().getColumns(),
                        referenced(collection.getOwner(), collection.getReferencedPropertyName()));
                addTargets(collection.getElement());
                if (collection instanceof IndexedCollection indexed && indexed.getIndex() != null) {
                    addTargets(indexed.getIndex());
                }
            }
        }
        while (this.needs.size() > before);
    }

    private void addTargets(Value value) {
        if (value instanceof Component embeddable) {
            embeddable.getProperties().forEach((property) -> addTargets(property.getValue()));
        }
        else if (value instanceof ToOne association
                && !(association instanceof OneToOne side && side.getColumns().isEmpty() && !side.isConstrained())) {
            refer(association.getTable(), association.getConstraintColumns(),
                    referenced(this.metadata.getEntityBinding(association.getReferencedEntityName()),
                            association.isReferenceToPrimaryKey() ? null : association.getReferencedPropertyName()));
        }
    }

    private static Value referenced(PersistentClass entity, @Nullable String property) {
        return (property != null) ? entity.getReferencedProperty(property).getValue() : entity.getIdentifier();
    }

    private void refer(Table table, List<Column> columns, Value to) {
        List<Column> targets = to.getColumns();
        for (int i = 0; i < columns.size() && columns.size() == targets.size(); i++) {
            Need need = this.needs.get(new Place(to.getTable(), targets.get(i)));
            if (need != null) {
                put(table, columns.get(i), need.ofReference());
            }
        }
    }

    private void put(Table table, Column column, Need need) {
        this.needs.putIfAbsent(new Place(table, column), need);
    }

    /** Looks at the columns as the database has them. */
    void read(JdbcConnectionAccess access) {
        if (this.needs.isEmpty()) {
            return;
        }
        try {
            Connection connection = access.obtainConnection();
            try {
                // SQLite calls all whole numbers INTEGER
                if (!connection.getMetaData().getDatabaseProductName().equals("SQLite")) {
                    for (Lookup lookup : this.needs.keySet().stream().map(Lookup::of).collect(Collectors.toSet())) {
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
                    "Could not look at the columns of ids: {0}, SQLState={1}; see to it that they are BIGINT",
                    ex.getClass().getName(), (ex instanceof SQLException failed) ? failed.getSQLState() : null);
        }
    }

    /** Refuses the columns that hold no id. */
    void check() {
        if (!this.unfit.isEmpty()) {
            throw new ShardedIdMappingException(
                    ("Columns cannot hold sharded ids: %s%s (allowed: whole numbers up to %s, texts of 19 characters, "
                            + "UUIDs, none generated by the database); run '%s', as %s says")
                        .formatted(this.unfit.stream().sorted().limit(NAMED).collect(Collectors.joining(", ")),
                                (this.unfit.size() > NAMED) ? " and %s more".formatted(this.unfit.size() - NAMED) : "",
                                this.largest,
                                this.cures.stream().sorted().limit(NAMED).collect(Collectors.joining("; ")),
                                MessageText.page("docs/adopting.md#before-anything-else")));
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
                for (Map.Entry<Place, Need> entry : this.needs.entrySet()) {
                    if (entry.getKey().is(lookup, columns.getString("TABLE_NAME"), columns.getString("COLUMN_NAME"))) {
                        look(connection, columns, entry.getKey().column(), entry.getValue());
                        break;
                    }
                }
            }
        }
    }

    private void look(Connection connection, ResultSet row, Column mapped, Need need) throws SQLException {
        String table = row.getString("TABLE_NAME");
        String column = row.getString("COLUMN_NAME");
        String typeName = row.getString("TYPE_NAME").toLowerCase(Locale.ROOT);
        // a domain has the type of what it restricts
        int type = (row.getInt("DATA_TYPE") == Types.DISTINCT) ? row.getInt("SOURCE_DATA_TYPE")
                : row.getInt("DATA_TYPE");
        boolean counted = "YES".equals(row.getString("IS_AUTOINCREMENT"));
        if (!need.fits(type, row.getInt("COLUMN_SIZE"), row.getInt("DECIMAL_DIGITS"), typeName, this.largest)) {
            this.unfit.add(table + "." + column + " " + typeName);
            String wanted = need.uuid && !need.text ? mapped.getSqlType(this.metadata)
                    : !need.text ? "bigint" : need.uuid ? "varchar(36)" : "varchar(19)";
            String definition = wanted + ((row.getInt("NULLABLE") == DatabaseMetaData.columnNoNulls) ? " not null" : "")
                    + (counted ? " auto_increment" : "");
            this.cures.add("alter table " + table + " "
                    + (this.dialect.supportsAlterColumnType()
                            ? this.dialect.getAlterColumnTypeString(column, wanted, definition)
                            : "alter column " + column + " set data type " + wanted)
                    + ((this.dialect instanceof PostgreSQLDialect) ? " using " + column + "::" + wanted : ""));
        }
        if (need.made && counted && isAlwaysCounted(connection, row.getString("TABLE_SCHEM"), table, column)) {
            this.unfit.add(table + "." + column + " generated always");
            this.cures.add("alter table " + table + " alter column " + column + " drop identity");
        }
    }

    /** Other counters take the number that an insert names, as old processes need it. */
    private static boolean isAlwaysCounted(Connection connection, @Nullable String schema, String table, String column)
            throws SQLException {
        if (connection.getMetaData().getDatabaseProductName().matches("MariaDB|MySQL")) {
            return false;
        }
        try (PreparedStatement query = connection
            .prepareStatement("select identity_generation from information_schema.columns "
                    + "where table_schema = ? and table_name = ? and column_name = ?")) {
            query.setString(1, schema);
            query.setString(2, table);
            query.setString(3, column);
            try (ResultSet found = query.executeQuery()) {
                return found.next() && "ALWAYS".equals(found.getString(1));
            }
        }
    }

    /**
     * What a column must hold.
     *
     * @param text whether the mapping writes ids as texts
     * @param uuid whether the ids are UUIDs
     * @param made whether ids are made for this column and not copied from another
     */
    private record Need(boolean text, boolean uuid, boolean made) {

        static Need of(BasicType<?> type, boolean made) {
            Class<?> written = (type.getValueConverter() != null)
                    ? type.getValueConverter().getRelationalJavaType().getJavaTypeClass() : type.getReturnedClass();
            int code = type.getJdbcType().getJdbcTypeCode();
            boolean uuid = written == UUID.class || code == Types.OTHER || code == Types.BINARY
            // MariaDB's UUIDs are written as texts
                    || type.getJdbcType().getDefaultSqlTypeCode() == SqlTypes.UUID;
            return new Need(isText(code), uuid, made);
        }

        Need ofReference() {
            return new Need(this.text, this.uuid, false);
        }

        private static boolean isText(int type) {
            return switch (type) {
                case Types.CHAR, Types.VARCHAR, Types.LONGVARCHAR, Types.NCHAR, Types.NVARCHAR, Types.LONGNVARCHAR,
                        Types.CLOB, Types.NCLOB ->
                    true;
                default -> false;
            };
        }

        /** A size of 0 or less is none. */
        boolean fits(int type, int size, int scale, String typeName, BigDecimal largest) {
            boolean named = typeName.contains("uuid");
            if (this.uuid && (named || !this.text && type == Types.OTHER)) {
                return true;
            }
            if (this.text) {
                return (isText(type) || type == Types.OTHER) && !named && (size <= 0 || size >= (this.uuid ? 36 : 19));
            }
            return switch (type) {
                case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB ->
                    this.uuid && (size <= 0 || size >= 16);
                case Types.TINYINT, Types.SMALLINT, Types.INTEGER -> holds(BigDecimal.valueOf(1L << 32), largest);
                case Types.REAL -> holds(BigDecimal.valueOf(1L << 24), largest);
                case Types.FLOAT, Types.DOUBLE -> holds(BigDecimal.valueOf(1L << 53), largest);
                // of PostgreSQL's oid, ten digits are known
                case Types.BIGINT -> !this.uuid && (size <= 0 || size > 18 || holds(BigDecimal.TEN.pow(size), largest));
                case Types.DECIMAL, Types.NUMERIC ->
                    !this.uuid && (size <= 0 || holds(BigDecimal.TEN.pow(Math.max(0, size - scale)), largest));
                default -> false;
            };
        }

        /** Whether a type holds all ids if this is the first number that it does not. */
        private boolean holds(BigDecimal end, BigDecimal largest) {
            return !this.uuid && end.compareTo(largest) > 0;
        }

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
