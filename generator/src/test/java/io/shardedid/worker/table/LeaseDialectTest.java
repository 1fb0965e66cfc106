package io.shardedid.worker.table;

import java.lang.reflect.Proxy;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;

import io.shardedid.ShardedIdConfigurationException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LeaseDialectTest {

    @ParameterizedTest
    @CsvSource({ "PostgreSQL,18.6,POSTGRESQL", "MariaDB,11.4.5-MariaDB,MARIADB", "MySQL,8.4.2,MYSQL",
            "MySQL,5.5.5-10.6.1-MariaDB-log,MARIADB", "H2,2.4.240,H2" })
    void isFoundByProductAndVersion(String product, String version, LeaseDialect dialect) throws SQLException {
        assertThat(LeaseDialect.of(database(product, version))).isEqualTo(dialect);
    }

    @Test
    void refusesAnyOtherDatabase() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> LeaseDialect.of(database("Oracle", "23.4")))
            .withMessage(
                    "Could not use the lease table: database=Oracle 23.4 (supported: PostgreSQL, MariaDB, MySQL, H2); "
                            + "name a database of these in 'shardedid.worker.lease.url', or set 'shardedid.worker.mode=fixed'");
    }

    @ParameterizedTest
    @CsvSource({ "jdbc:postgresql://h/db,POSTGRESQL", "jdbc:mariadb://h/db,MARIADB", "jdbc:mysql://h/db,MYSQL",
            "jdbc:h2:mem:x,H2", "jdbc:oracle:thin:@h,", "jdbc:otel:postgresql://h/db," })
    void isFoundByUrl(String url, LeaseDialect dialect) {
        assertThat(LeaseDialect.ofUrl(url).orElse(null)).isEqualTo(dialect);
    }

    @ParameterizedTest
    @CsvSource({ "jdbc:h2:mem:x,true", "jdbc:h2:./x,true", "jdbc:h2:file:/x,true", "jdbc:h2:tcp://h/x,false",
            "jdbc:h2:ssl://h/x,false" })
    void knowsWhichDatabaseIsEmbedded(String url, boolean embedded) {
        assertThat(LeaseDialect.H2.embedded(url)).isEqualTo(embedded);
        assertThat(LeaseDialect.POSTGRESQL.embedded(url)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({ "POSTGRESQL,'\"ops\".\"worker\"'", "MARIADB,`Ops`.`Worker`", "H2,'\"OPS\".\"WORKER\"'" })
    void quotesTheNameAsAScriptWithoutQuotesMeansIt(LeaseDialect dialect, String sql) throws SQLException {
        assertThat(dialect.quoted(LeaseTableName.of("Ops.Worker"), database("", ""))).isEqualTo(sql);
    }

    @ParameterizedTest
    @EnumSource
    void bringsAScriptForItsTable(LeaseDialect dialect) {
        assertThat(dialect.ddl("io/shardedid/worker/lease-table", "shardedid_worker", "\"x\""))
            .contains("CREATE TABLE IF NOT EXISTS \"x\" (")
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
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

}
