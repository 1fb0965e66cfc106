package io.shardedid.move;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** How the server of a target connects to the source, by the URL of the application. */
class MoveDatabasesTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|',
            value = { "db-a:5433,db-b | host='db-a,db-b' port=5433,5432 dbname='photos' target_session_attrs=primary",
                    "[::1]:5433,[::2] | host='::1,::2' port=5433,5432 dbname='photos' target_session_attrs=primary",
                    "[::1] | host='::1' port=5432 dbname='photos'",
                    "db-a:5433 | host='db-a' port=5433 dbname='photos'" })
    void aServerConnectsToThePrimaryOfSeveralHosts(String hosts, String info) {
        assertThat(new MoveDatabases.Database("jdbc:postgresql://%s/photos?ApplicationName=x".formatted(hosts), "", "",
                null)
            .connectionInfo()).isEqualTo(info);
    }

    private static MoveDatabases.Database at(String url) {
        return new MoveDatabases.Database(url, "feed", "se[c]r'et\\", null);
    }

    @Test
    void takesHostPortNameAndAccount() {
        assertThat(at("jdbc:postgresql://db.example/photos").connectionInfo())
            .isEqualTo("host='db.example' port=5432 dbname='photos' user='feed' password='se[c]r\\'et\\\\'");
        assertThat(at("jdbc:postgresql://[::1]:5433/photos").connectionInfo())
            .startsWith("host='::1' port=5433 dbname='photos' ");
    }

    @Test
    void takesTheEncryptionOfTheUrl() {
        assertThat(at("jdbc:postgresql://db.example/photos?reWriteBatchedInserts=true&sslmode=verify-full")
            .connectionInfo()).endsWith(" sslmode='verify-full'");
    }

    @Test
    void refusesWhatAnotherServerCannotTakeOver() {
        assertThatExceptionOfType(MoveException.class)
            .isThrownBy(() -> at("jdbc:postgresql://db.example/photos?sslmode=verify-ca&sslrootcert=/etc/ca.pem")
                .connectionInfo())
            .withMessage(
                    "URL has a parameter that another server cannot take over: url='jdbc:postgresql://db.example/photos', parameter='sslrootcert' (of those that say how to connect, it takes sslmode only); set shardedid.move.<name>.conninfo");
        assertThatExceptionOfType(MoveException.class)
            .isThrownBy(() -> at("jdbc:postgresql://db.example/photos?ssl").connectionInfo());
        assertThat(new MoveDatabases.Database("jdbc:postgresql://db.example/photos?ssl", "", "", "service=photos")
            .connectionInfo()).isEqualTo("service=photos");
    }

    @ParameterizedTest
    @ValueSource(strings = { "jdbc:postgres://h:1/db?user=mover&password=URL-SECRET",
            "jdbc:postgresql://h:none/db?user=mover&password=URL-SECRET", "jdbc:postgresql://u:URL-SECRET@h:none/db" })
    void noMessageShowsThePasswordOfAUrl(String url) {
        MoveDatabases.Database database = new MoveDatabases.Database(url, "feed", "", null);
        MoveDatabases databases = new MoveDatabases(Map.of("a", database), "a", "default", null);
        assertThatExceptionOfType(MoveException.class)
            .isThrownBy(() -> new ShardMover(databases, MoveLimits.defaults(), (progress) -> {
            }).status())
            .satisfies((ex) -> {
                StringWriter trace = new StringWriter();
                ex.printStackTrace(new PrintWriter(trace));
                assertThat(trace.toString()).doesNotContain("URL-SECRET").contains("Could not read the shard map");
            });
        assertThat(database.toString() + databases).doesNotContain("URL-SECRET");
    }

}
