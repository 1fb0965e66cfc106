package io.shardedid.shardingsphere;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.internal.NearestName;
import io.shardedid.shards.CrossShardException;
import io.shardedid.shards.ShardMap;
import io.shardedid.shards.ShardMapException;
import io.shardedid.shards.ShardUnknownException;
import org.apache.shardingsphere.sharding.api.sharding.complex.ComplexKeysShardingAlgorithm;
import org.apache.shardingsphere.sharding.api.sharding.complex.ComplexKeysShardingValue;
import org.jspecify.annotations.Nullable;

/**
 * Shows ShardingSphere which databases a statement goes to: those that hold the shards of
 * its ids and shard keys, by the shard map of the engine that is open in this JVM. It is
 * the algorithm type {@code SHARDED_ID} of a database strategy {@code complex}, with
 * these properties:
 *
 * <ul>
 * <li>{@code ids}: the columns that hold sharded ids, such as {@code id,photo_id};</li>
 * <li>{@code keys}: the columns that hold shard keys, such as {@code user_id};</li>
 * <li>{@code initial-map}: the shard map of a namespace that has none yet, such as
 * {@code 0-999: a, 1000-1999: b}; from then on its table counts;</li>
 * <li>{@code refresh}: how often to look whether the map has changed, {@code PT8S} unless
 * set;</li>
 * <li>{@code namespace}: chooses between several engines of this JVM;</li>
 * <li>{@code layout}, {@code shards}: what the application has to have, if it is to be
 * compared.</li>
 * </ul>
 *
 * <p>
 * A condition with {@code =} or {@code IN} on one of the columns leads to the databases
 * of its values. Conditions on several columns have to have a shard in common. A range
 * says nothing about the shard and goes to all databases. Each statement asks for the
 * map, so a new map counts with the next statement.
 *
 * <p>
 * Thread-safe. The first statement waits until the map has been read; all others do no
 * I/O.
 *
 * @apiNote Applications name the type in the configuration; ShardingSphere needs it to be
 * public.
 * @since 0.1
 */
public final class ShardedIdShardingAlgorithm implements ComplexKeysShardingAlgorithm<Comparable<?>> {

    /** The type by which a configuration names this algorithm. */
    static final String TYPE = "SHARDED_ID";

    private static final List<String> PROPERTIES = List.of("ids", "keys", "initial-map", "refresh", "namespace",
            "layout", "shards");

    private Set<String> ids = Set.of();

    private Set<String> keys = Set.of();

    private @Nullable EngineOfThisJvm engine;

    /** Creates an algorithm that ShardingSphere initializes. */
    public ShardedIdShardingAlgorithm() {
    }

    @Override
    public String getType() {
        return TYPE;
    }

    /**
     * Reads the properties.
     * @param properties the properties of the algorithm, as texts
     * @throws ShardedIdConfigurationException if a property is unknown or its value
     * cannot be used
     */
    @Override
    public void init(Properties properties) {
        for (String name : new TreeSet<>(properties.stringPropertyNames())) {
            if (!PROPERTIES.contains(name)) {
                throw new ShardedIdConfigurationException("Property of '%s' is unknown: %s='%s' (known: %s%s)"
                    .formatted(TYPE, name, properties.getProperty(name), String.join(", ", PROPERTIES),
                            NearestName.of(name, PROPERTIES)
                                .map((nearest) -> "; nearest: '" + nearest + "'")
                                .orElse("")),
                        "correct it");
            }
        }
        this.ids = columns(properties, "ids");
        this.keys = columns(properties, "keys");
        if (this.ids.isEmpty()) {
            throw new ShardedIdConfigurationException(
                    "Property 'ids' of '%s' must name a column: ids='%s'".formatted(TYPE,
                            properties.getProperty("ids", "")),
                    "name the columns that hold sharded ids, such as 'id, photo_id'");
        }
        this.engine = new EngineOfThisJvm(properties);
    }

    private static Set<String> columns(Properties properties, String name) {
        Set<String> columns = new LinkedHashSet<>();
        Arrays.stream(properties.getProperty(name, "").split(","))
            .map(ShardedIdShardingAlgorithm::column)
            .filter((column) -> !column.isEmpty())
            .forEach(columns::add);
        return columns;
    }

    /** SQL does not tell upper from lower case. */
    private static String column(String name) {
        return name.strip().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the databases that a statement goes to.
     * @param available the databases that have a data node of the table
     * @param values the conditions on the sharding columns of the table
     * @return names of databases
     * @throws ShardedIdConfigurationException if no engine is open, several are, the
     * engine is another one than the properties say, or a sharding column is neither an
     * id nor a key
     * @throws ShardMapException if there is no map that can be used, or a database of the
     * map has no data node of the table
     * @throws ShardUnknownException if an id is neither a number of 64 bits nor a UUID
     * @throws io.shardedid.ShardKeyException if an id or a key has no shard
     * @throws CrossShardException if the conditions have no shard in common
     * @throws io.shardedid.shards.ShardMovedException if the map cannot be read or
     * confirmed; retryable
     */
    @Override
    public Collection<String> doSharding(Collection<String> available, ComplexKeysShardingValue<Comparable<?>> values) {
        EngineOfThisJvm engine = this.engine;
        if (engine == null) {
            throw new IllegalStateException("init(Properties) has not been called");
        }
        String table = values.getLogicTableName();
        values.getColumnNameAndRangeValuesMap().keySet().forEach((column) -> isId(table, column));
        EngineOfThisJvm.Routes routes = engine.routes(available);
        Set<Integer> shards = null;
        for (Map.Entry<String, Collection<Comparable<?>>> condition : values.getColumnNameAndShardingValuesMap()
            .entrySet()) {
            Set<Integer> those = shards(routes.engine(), table, condition.getKey(), condition.getValue());
            if (shards == null) {
                shards = those;
            }
            else if (those != null) {
                shards.retainAll(those);
            }
        }
        if (shards != null && shards.isEmpty()) {
            throw contradictory(routes.engine(), table, values);
        }
        return (shards != null) ? databases(routes.map(), shards, table, available) : available;
    }

    /** Returns the shards of the values, or null if all values are null. */
    private @Nullable Set<Integer> shards(ShardedIdEngine engine, String table, String column,
            Collection<Comparable<?>> values) {
        boolean id = isId(table, column);
        Set<Integer> shards = new TreeSet<>();
        for (Comparable<?> value : values) {
            if (value != null) {
                shards.add(id ? shardOf(engine, table, column, value) : engine.reader().shardForPlain(value));
            }
        }
        return shards.isEmpty() ? null : shards;
    }

    private boolean isId(String table, String column) {
        String name = column(column);
        if (this.ids.contains(name)) {
            return true;
        }
        if (this.keys.contains(name)) {
            return false;
        }
        throw new ShardedIdConfigurationException(
                "Sharding column is neither an id nor a shard key: table='%s', column='%s' (ids=%s, keys=%s)"
                    .formatted(table, column, this.ids, this.keys),
                "name it in 'ids' or 'keys' of the algorithm, or remove it from 'shardingColumns'");
    }

    private static int shardOf(ShardedIdEngine engine, String table, String column, Object id) {
        if (id instanceof UUID uuid) {
            return engine.uuids().shardOf(uuid);
        }
        if (id instanceof Long || id instanceof Integer || id instanceof Short || id instanceof Byte) {
            return engine.shardOf(((Number) id).longValue());
        }
        try {
            if (id instanceof BigInteger number) {
                return engine.shardOf(number.longValueExact());
            }
            if (id instanceof BigDecimal number) {
                return engine.shardOf(number.longValueExact());
            }
        }
        catch (ArithmeticException ex) {
            // refused below, as everything else that is no number of 64 bits
        }
        throw new ShardUnknownException(
                "Could not choose a database: id must be a number of 64 bits or a UUID: table='%s', column='%s', type=%s, value='%s'; give the id as a number, or remove the column from 'ids' of the algorithm"
                    .formatted(table, column, id.getClass().getName(), id));
    }

    private CrossShardException contradictory(ShardedIdEngine engine, String table,
            ComplexKeysShardingValue<Comparable<?>> values) {
        StringBuilder text = new StringBuilder();
        new TreeMap<>(values.getColumnNameAndShardingValuesMap()).forEach((column, given) -> {
            Set<Integer> those = shards(engine, table, column, given);
            if (those != null) {
                text.append(", %s=%s is in %s".formatted(column, few(given), shardsInWords(those)));
            }
        });
        return new CrossShardException(
                "Could not choose a database: values of one row must be in one shard: table='%s'%s; correct the values, or keep a column out of 'shardingColumns' whose rows live in other shards"
                    .formatted(table, text));
    }

    private static String few(Collection<?> values) {
        List<?> first = values.stream().limit(3).toList();
        return (values.size() > 3) ? first + " and " + (values.size() - 3) + " more"
                : (first.size() == 1) ? String.valueOf(first.get(0)) : first.toString();
    }

    private static String shardsInWords(Set<Integer> shards) {
        return (shards.size() == 1) ? "shard " + shards.iterator().next() : "shards " + few(shards);
    }

    private static Set<String> databases(ShardMap map, Set<Integer> shards, String table,
            Collection<String> available) {
        Set<String> databases = new LinkedHashSet<>();
        for (int shard : shards) {
            String database = map.databaseOf(shard);
            if (databases.add(database) && !available.contains(database)) {
                throw new ShardMapException(
                        "Database of a shard has no data node of the table: table='%s', shard=%s, database='%s' (actualDataNodes in: %s)"
                            .formatted(table, shard, database, String.join(", ", new TreeSet<>(available))),
                        "add '%s.%s' to 'actualDataNodes'".formatted(database, table));
            }
        }
        return databases;
    }

}
