package io.shardedid.internal.lease.jdbc;

import java.lang.reflect.Proxy;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseDialectTest {

    @ParameterizedTest
    @CsvSource({ "PostgreSQL,18.6,POSTGRESQL", "MariaDB,11.4.5-MariaDB,MARIADB", "MySQL,8.4.2,MYSQL",
            "MySQL,5.5.5-10.6.1-MariaDB-log,MARIADB", "H2,2.4.240,H2", "HSQL Database Engine,2.7.3,HSQLDB",
            "Oracle,23.4,GENERIC", "Microsoft SQL Server,16.00,GENERIC", "DB2/LINUXX8664,SQL12010,GENERIC",
            "Firebird 5.0,5.0,GENERIC", "SQLite,3.50,GENERIC" })
    void isFoundByProductAndVersion(String product, String version, LeaseDialect dialect) throws SQLException {
        assertThat(LeaseDialect.of(database(product, version))).isEqualTo(dialect);
    }

    @ParameterizedTest
    @CsvSource({ "jdbc:postgresql://h/db,POSTGRESQL", "jdbc:mariadb://h/db,MARIADB", "jdbc:mysql://h/db,MYSQL",
            "jdbc:h2:mem:x,H2", "jdbc:hsqldb:hsql://h/x,HSQLDB", "jdbc:oracle:thin:@h,", "jdbc:generic:x,",
            "jdbc:otel:postgresql://h/db," })
    void isFoundByUrl(String url, LeaseDialect dialect) {
        assertThat(LeaseDialect.ofUrl(url).orElse(null)).isEqualTo(dialect);
    }

    /** What is certain not to have happened is sent again. */
    @ParameterizedTest
    @CsvSource({ "POSTGRESQL,40001,true", "POSTGRESQL,40P01,true", "MARIADB,40001,true", "POSTGRESQL,40003,false",
            "POSTGRESQL,08006,false", "POSTGRESQL,,false" })
    void knowsWhatTheDatabaseHasRolledBack(LeaseDialect dialect, String state, boolean rolledBack) {
        assertThat(dialect.rolledBack(new SQLException("reason", state))).isEqualTo(rolledBack);
    }

    @ParameterizedTest
    @CsvSource({ "POSTGRESQL,'\"ops\".\"worker\"'", "MARIADB,`Ops`.`Worker`", "H2,'\"OPS\".\"WORKER\"'",
            "GENERIC,'[OPS[.[WORKER['" })
    void quotesTheNameAsAScriptWithoutQuotesMeansIt(LeaseDialect dialect, String sql) throws SQLException {
        assertThat(dialect.quoted(LeaseTableName.of("Ops.Worker"), database("", ""))).isEqualTo(sql);
    }

    @ParameterizedTest
    @EnumSource
    void bringsAScriptForItsTable(LeaseDialect dialect) {
        assertThat(dialect.ddl(LeaseTableSetup.LEASES, "\"x\""))
            .containsPattern("CREATE TABLE (IF NOT EXISTS )?\"x\" \\(")
            .contains("PRIMARY KEY (namespace, worker_id)")
            .doesNotContain("shardedid_worker")
            .doesNotContain(";\n")
            .doesNotContain("?");
    }

    @ParameterizedTest
    @CsvSource({ "jdbc:postgresql://h:1/db?user=u&password=secret,jdbc:postgresql://h:1/db",
            "jdbc:mysql://u:secret@h/db,jdbc:mysql://h/db", "jdbc:h2:mem:x;PASSWORD=secret,jdbc:h2:mem:x" })
    void describesAUrlWithoutCredentials(String url, String described) {
        assertThat(LeaseConnections.url(url, "u", "secret").describe()).isEqualTo(described);
    }

    private static DatabaseMetaData database(String product, String version) {
        return (DatabaseMetaData) Proxy.newProxyInstance(LeaseDialectTest.class.getClassLoader(),
                new Class<?>[] { DatabaseMetaData.class }, (self, method, values) -> switch (method.getName()) {
                    case "getDatabaseProductName" -> product;
                    case "getDatabaseProductVersion" -> version;
                    case "storesUpperCaseIdentifiers" -> true;
                    case "getIdentifierQuoteString" -> "[";
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

}
