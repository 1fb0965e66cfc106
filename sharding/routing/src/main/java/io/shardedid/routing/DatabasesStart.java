package io.shardedid.routing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import javax.sql.DataSource;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdConfigurationException.Problem;
import io.shardedid.internal.config.ShardedIdKey;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.hibernate.boot.Metadata;
import org.hibernate.boot.registry.StandardServiceRegistry;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.cfg.AvailableSettings;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.tool.schema.internal.ExceptionHandlerHaltImpl;
import org.hibernate.tool.schema.spi.ContributableMatcher;
import org.hibernate.tool.schema.spi.SchemaManagementException;
import org.hibernate.tool.schema.spi.SchemaManagementTool;
import org.hibernate.tool.schema.spi.SchemaManagementToolCoordinator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.NestedExceptionUtils;

/**
 * The last step of the start of an application with databases: refuses what would read or
 * write the wrong rows, silently, and validates the schema of every database. Afterwards
 * statements without a shard fail.
 */
final class DatabasesStart implements SmartInitializingSingleton {

    private static final String HANDLING = "hibernate.connection.handling_mode";

    private static final String RELEASED = "DELAYED_ACQUISITION_AND_RELEASE_AFTER_TRANSACTION";

    private static final String QUERY_CACHE = "hibernate.cache.use_query_cache";

    private static final String SCHEMA = "hibernate.hbm2ddl.auto";

    private static final List<String> OPEN_IN_VIEW = List.of(
            "org.springframework.orm.jpa.support.OpenEntityManagerInViewInterceptor",
            "org.springframework.orm.jpa.support.OpenEntityManagerInViewFilter");

    /** The settings that say how a schema is looked at. */
    private static final List<String> VALIDATED_BY = List.of("hibernate.dialect", "hibernate.default_",
            "hibernate.hbm2ddl.", "hibernate.type.");

    /** A comment says to the mover that the rows of a table stay. */
    private static final String UNFENCED = """
            SELECT name FROM unnest(?) AS name JOIN pg_class c ON c.oid = to_regclass(name)
             WHERE c.relkind IN ('r', 'p') AND coalesce(obj_description(c.oid, 'pg_class'), '') NOT LIKE '%shardedid: stays%'
               AND NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = 'zz_shardedid_fence_insert')
             ORDER BY name""";

    private static final Log LOG = LogFactory.getLog(DatabasesStart.class);

    private final Databases databases;

    private final RoutedSessionFactories factories;

    private final ListableBeanFactory beans;

    private final @Nullable String namespace;

    private final String leaseTable;

    DatabasesStart(Databases databases, RoutedSessionFactories factories, ListableBeanFactory beans,
            @Nullable String namespace, String leaseTable) {
        this.namespace = namespace;
        this.leaseTable = leaseTable;
        this.databases = databases;
        this.factories = factories;
        this.beans = beans;
    }

    /**
     * Sets how an entity manager factory takes its connections, before it is built. With
     * several databases an update may not take a row away from its shard key, unless the
     * application has chosen.
     * @param keyChange what the application has set for {@code shardedid.on-key-change},
     * or null
     * @throws ShardedIdConfigurationException if it is set to what cannot be routed
     */
    static void prepare(Map<String, Object> unit, boolean several, @Nullable String keyChange) {
        Object handling = unit.putIfAbsent(HANDLING, RELEASED);
        if (handling != null && !handling.toString().equalsIgnoreCase(RELEASED)) {
            throw new ShardedIdConfigurationException(
                    ("'spring.jpa.properties.%s' must not be set with a router: value=%s (a session that keeps "
                            + "its connection would write the rows of the next transaction into the database of the last "
                            + "one)")
                        .formatted(HANDLING, handling),
                    "remove it");
        }
        if (!several) {
            return;
        }
        if (keyChange == null) {
            unit.putIfAbsent(ShardedIdKey.ON_KEY_CHANGE.externalName(), "fail");
        }
        if ("true".equalsIgnoreCase(String.valueOf(unit.get(QUERY_CACHE)))) {
            throw new ShardedIdConfigurationException(
                    ("'spring.jpa.properties.%s' must not be true with several databases (its keys name no "
                            + "database, so one would answer for another)")
                        .formatted(QUERY_CACHE),
                    "remove it; the cache of entities is safe");
        }
        String schema = String.valueOf(unit.getOrDefault(SCHEMA, "none")).toLowerCase(Locale.ROOT);
        if (!schema.equals("none") && !schema.equals("validate")) {
            throw new ShardedIdConfigurationException(
                    ("'spring.jpa.hibernate.ddl-auto' must be 'none' or 'validate' with several databases: "
                            + "value=%s (Hibernate makes the tables of one database only)")
                        .formatted(schema),
                    "let Flyway or Liquibase make them, which run over all databases");
        }
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (this.databases.several()) {
            new DatabaseNames(this.databases, this.namespace, this.leaseTable).check();
            refuseOpenInView();
            refuseRowsWithoutShard();
            this.factories.forEach(this::validate);
            lookForFences();
        }
        this.databases.started();
    }

    private void lookForFences() {
        Set<String> fenced = new TreeSet<>();
        Map<String, List<String>> unfenced = new TreeMap<>();
        for (String database : this.databases.namesAtStart()) {
            try (Connection connection = this.databases.pool(database).getConnection()) {
                if (this.databases.lookForFence(database, connection)) {
                    fenced.add(database);
                    List<String> tables = unfenced(connection);
                    if (!tables.isEmpty()) {
                        unfenced.put(database, tables);
                    }
                }
            }
            catch (SQLException ex) {
                LOG.warn(
                        "Could not look for the fence of a database: database=%s (%s); its next connection is asked again"
                            .formatted(database, Shown.line(ex.getMessage())));
            }
        }
        if (!unfenced.isEmpty()) {
            LOG.warn(
                    "Tables whose rows have shards have no fence, so no mover moves these shards: tables by database=%s; fence them too"
                        .formatted(unfenced));
        }
        if (fenced.size() > 1) {
            new ShardHomes(this.databases).settle(fenced);
        }
    }

    private List<String> unfenced(Connection connection) throws SQLException {
        List<String> tables = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(UNFENCED)) {
            statement.setArray(1, connection.createArrayOf("text", this.factories.tablesWithShards().toArray()));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    tables.add(rows.getString(1));
                }
            }
        }
        return tables;
    }

    /** Says which database has failed, and how to start without it. */
    static ShardedIdConfigurationException unreachable(String task, String database, Exception failure) {
        return new ShardedIdConfigurationException(
                new Problem("Could not %s: database=%s (%s)".formatted(task, database, why(failure)),
                        "repair it, or set '%s' to 'home', so that the start looks at the home database only"
                            .formatted(DatabasesProperties.START)),
                failure);
    }

    /**
     * Says why something has failed. A pool hides the reason why there is no connection,
     * and a driver may quote there what is secret.
     */
    static String why(Exception failure) {
        Throwable last = NestedExceptionUtils.getMostSpecificCause(failure);
        String state = "";
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && sql.getSQLState() != null) {
                state = sql.getSQLState();
            }
        }
        String meaning = state.startsWith("3D") ? "there is no such database" : state.startsWith("28")
                ? "the login is refused" : state.startsWith("08") ? "the server is not reached" : "";
        return meaning.isEmpty() ? Shown.line(last.getMessage())
                : "SQLState=%s, %s: %s".formatted(state, last.getClass().getSimpleName(), meaning);
    }

    private void refuseOpenInView() {
        for (String type : OPEN_IN_VIEW) {
            Class<?> known;
            try {
                known = Class.forName(type, false, getClass().getClassLoader());
            }
            catch (ClassNotFoundException | LinkageError ex) {
                // an application without a web server
                continue;
            }
            if (this.beans.getBeanNamesForType(known, true, false).length > 0) {
                throw new ShardedIdConfigurationException(
                        "'spring.jpa.open-in-view' must be false with several databases (a session that outlives its "
                                + "transaction reads rows of another shard after it)",
                        "set it to false");
            }
        }
    }

    private void refuseRowsWithoutShard() {
        List<String> lost = this.factories.withoutShardAndWithout(EveryDatabase.class);
        if (!lost.isEmpty()) {
            throw new ShardedIdConfigurationException(
                    "Entities must have a shard where there are several databases: entities=%s".formatted(lost),
                    "give them '@ShardedId', mark reference data '@EveryDatabase', or put them into a "
                            + "persistence unit with a data source of its own");
        }
    }

    /**
     * With settings of its own for each database: those of the factory know the name of
     * the home database, and would look for its tables in all the others.
     */
    private void validate(SessionFactoryImplementor factory, Metadata metadata) {
        Map<String, Object> settings = new HashMap<>();
        factory.getProperties().forEach((key, value) -> {
            if (VALIDATED_BY.stream().anyMatch(key::startsWith)) {
                settings.put(key, value);
            }
        });
        this.databases.namesAtStart().forEach((database) -> {
            DataSource pool = this.databases.pool(database);
            try {
                pool.getConnection().close();
            }
            catch (SQLException ex) {
                throw unreachable("validate the schema of a database", database, ex);
            }
            settings.put(AvailableSettings.JAKARTA_NON_JTA_DATASOURCE, pool);
            StandardServiceRegistry services = new StandardServiceRegistryBuilder().applySettings(settings).build();
            try {
                services.requireService(SchemaManagementTool.class)
                    .getSchemaValidator(settings)
                    .doValidation(metadata, SchemaManagementToolCoordinator.buildExecutionOptions(settings,
                            new ExceptionHandlerHaltImpl()), ContributableMatcher.ALL);
            }
            catch (SchemaManagementException ex) {
                throw new ShardedIdConfigurationException(
                        new Problem("Schema of a database does not fit the entities: database=%s (%s)"
                            .formatted(database, ex.getMessage()), "run its migrations"),
                        ex);
            }
            finally {
                StandardServiceRegistryBuilder.destroy(services);
            }
        });
    }

}
