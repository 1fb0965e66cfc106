package io.shardedid.routing;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.shards.JdbcShardDirectory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * What is configured under {@code shardedid.databases}: keys of all databases, and
 * between them the names of the databases.
 *
 * @param names the names of the databases, sorted
 * @param home the database with the lease table
 * @param initialMap the shard map of the first start, null if one database has all shards
 * @param refresh how often to look whether the shard map has changed
 * @param enter which transactions enter their shard
 * @param start which databases the start looks at
 * @param parallelism how many databases are asked side by side
 */
record DatabasesProperties(List<String> names, String home, @Nullable String initialMap, Duration refresh, Enter enter,
        Start start, int parallelism) {

    static final String PREFIX = "shardedid.databases";

    private static final String INITIAL_MAP = PREFIX + ".initial-map";

    private static final String HOME = PREFIX + ".home";

    private static final String REFRESH = PREFIX + ".refresh";

    static final String ENTER = PREFIX + ".enter";

    static final String START = PREFIX + ".start";

    /** What the name of the bean that is a pool ends with. */
    static final String POOL = "Database";

    private static final String PARALLELISM = PREFIX + ".parallelism";

    /** The name of a database, and what is set of it. */
    private static final Pattern KEY_OF_A_DATABASE = Pattern
        .compile("(.+?)\\.(?:url|bean|username|password|hikari\\..+)");

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]*");

    private static final int MAX_PARALLELISM = 64;

    /** How long a statement waits for a connection, unless the pool's settings say so. */
    private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(5);

    /** What a process opens to all databases, as long as that are few. */
    private static final int CONNECTIONS = 40;

    private static final int MOST_CONNECTIONS = 10;

    private static final int FEWEST_CONNECTIONS = 4;

    /** Returns whether any database is configured. */
    static boolean areSet(Environment environment) {
        return !names(environment).isEmpty();
    }

    /** Returns all values, each by the rest of its key. */
    static Map<String, String> all(Environment environment) {
        return Binder.get(environment).bind(PREFIX, Bindable.mapOf(String.class, String.class)).orElse(Map.of());
    }

    private static Set<String> names(Environment environment) {
        Set<String> names = new TreeSet<>();
        for (String key : all(environment).keySet()) {
            int dot = key.indexOf('.');
            if (dot > 0) {
                names.add(key.substring(0, dot));
            }
        }
        return names;
    }

    /**
     * Refuses a name that Spring Boot reads in files and not elsewhere. In the name of a
     * variable, an underscore stands for a dot.
     */
    private static void checkNames(Environment environment) {
        for (String key : new TreeSet<>(all(environment).keySet())) {
            Matcher read = KEY_OF_A_DATABASE.matcher(key);
            if (read.matches() && !NAME.matcher(read.group(1)).matches()) {
                throw new ShardedIdConfigurationException(
                        "Name of a database must have lower-case letters, digits and '-' alone: key='%s.%s', name='%s'"
                            .formatted(PREFIX, key, read.group(1)),
                        "rename it there, in '%s' and in '%s', and leave '-' out in environment variables"
                            .formatted(HOME, INITIAL_MAP),
                        PREFIX + "." + key);
            }
        }
    }

    /**
     * Reads the configuration.
     * @throws ShardedIdConfigurationException if it does not go together
     */
    static DatabasesProperties of(Environment environment) {
        checkNames(environment);
        List<String> names = List.copyOf(names(environment));
        String initialMap = environment.getProperty(INITIAL_MAP);
        String home = environment.getProperty(HOME);
        if (environment.containsProperty("spring.datasource.url")) {
            throw new ShardedIdConfigurationException(
                    ("'spring.datasource.url' must not be set beside '%s.*.url' (the router is the data source of "
                            + "the application): databases=%s")
                        .formatted(PREFIX, names),
                    "move the URL to the database that it names");
        }
        if (home == null && names.size() > 1) {
            throw new ShardedIdConfigurationException(
                    ("'%s' must be set where there are several databases: databases=%s (the lease table is in one "
                            + "of them, forever: with two lease tables processes could make duplicate ids)")
                        .formatted(HOME, names),
                    "name the one that has it");
        }
        if (home != null && !names.contains(home)) {
            throw new ShardedIdConfigurationException(
                    "'%s' must be one of the databases: %s='%s', databases=%s".formatted(HOME, HOME, home, names));
        }
        if (initialMap == null && names.size() > 1) {
            throw new ShardedIdConfigurationException(
                    "'%s' must be set where there are several databases: databases=%s".formatted(INITIAL_MAP, names),
                    "say which database has which shards, such as '0-999: a, 1000-1999: b'");
        }
        Enter enter = Binder.get(environment).bind(ENTER, Enter.class).orElse(Enter.WRITE);
        int parallelism = Binder.get(environment).bind(PARALLELISM, Integer.class).orElse(8);
        if (parallelism < 1 || parallelism > MAX_PARALLELISM) {
            throw new ShardedIdConfigurationException(
                    "'%s' must be in [1, %s]: value=%s".formatted(PARALLELISM, MAX_PARALLELISM, parallelism),
                    "correct it");
        }
        return new DatabasesProperties(names, (home != null) ? home : names.get(0), initialMap,
                Binder.get(environment).bind(REFRESH, Duration.class).orElse(JdbcShardDirectory.DEFAULT_REFRESH), enter,
                Binder.get(environment).bind(START, Start.class).orElse(Start.ALL), parallelism);
    }

    /** Which databases the start migrates, validates and asks for their fence. */
    enum Start {

        /** All, so that a start shows what is wrong in any of them. */
        ALL,

        /** The home database, so that no other one can stop a start. */
        HOME

    }

    /** Which transactions enter their shard, where the shards are fenced. */
    enum Enter {

        /** Those that write: a row does it by a trigger, other statements by a call. */
        WRITE,

        /** All of them, with one round trip each, so that reads are fenced too. */
        TRANSACTION

    }

    /**
     * Returns the bean of the application that connects to a database, or null if the
     * router makes a pool.
     */
    static @Nullable String bean(String name, Environment environment) {
        String bean = environment.getProperty(PREFIX + "." + name + ".bean");
        String url = environment.getProperty(PREFIX + "." + name + ".url");
        url = StringUtils.hasText(url) ? url : null;
        if ((bean == null) == (url == null)) {
            throw new ShardedIdConfigurationException(
                    "Either '%1$s.url' or '%1$s.bean' must be set: database=%2$s, url=%3$s, bean=%4$s"
                        .formatted(PREFIX + "." + name, name, (url != null) ? "(set)" : null, bean),
                    "set one of them, or remove the other keys of that database");
        }
        return bean;
    }

    /**
     * Makes the pool of a database. It connects when it is first used. With several
     * databases it is small and empty at first, and it makes nobody wait for long: one
     * database that is down must not keep the threads of the others.
     */
    HikariDataSource pool(String name, Environment environment) {
        String prefix = PREFIX + "." + name;
        HikariDataSource pool = new HikariDataSource();
        if (this.names.size() > 1) {
            pool.setConnectionTimeout(CONNECTION_TIMEOUT.toMillis());
            pool.setInitializationFailTimeout(-1);
            pool.setMinimumIdle(0);
            pool.setMaximumPoolSize(
                    Math.max(FEWEST_CONNECTIONS, Math.min(MOST_CONNECTIONS, CONNECTIONS / this.names.size())));
        }
        pool.setPoolName(name);
        pool.setJdbcUrl(environment.getProperty(prefix + ".url"));
        pool.setUsername(environment.getProperty(prefix + ".username"));
        pool.setPassword(environment.getProperty(prefix + ".password"));
        // a setting that the pool does not have would be passed over
        Binder.get(environment)
            .bind(prefix + ".hikari", Bindable.ofInstance(pool), new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
        return pool;
    }

}
