package io.shardedid.move;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.Properties;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What a mover says of databases that it cannot use. */
class MoveDatabasesTest {

    @ParameterizedTest
    @ValueSource(strings = { "jdbc:postgres://h:1/db?user=mover&password=URL-SECRET",
            "jdbc:postgresql://h:none/db?user=mover&password=URL-SECRET", "jdbc:postgresql://u:URL-SECRET@h:none/db" })
    void noMessageShowsThePasswordOfAUrl(String url) {
        MoveDatabases.Database database = new MoveDatabases.Database(url, "feed", "");
        MoveDatabases databases = new MoveDatabases(Map.of("a", database), "a", "default", "shardedid_worker");
        assertThatExceptionOfType(MoveException.class)
            .isThrownBy(() -> new ShardMover(databases, TwoDatabases.LIMITS, (progress) -> {
            }, TwoDatabases.NO_PROBE).status())
            .satisfies((ex) -> {
                StringWriter trace = new StringWriter();
                ex.printStackTrace(new PrintWriter(trace));
                assertThat(trace.toString()).doesNotContain("URL-SECRET").contains("SQLState=");
            });
        assertThat(database.toString() + databases).doesNotContain("URL-SECRET");
    }

    @Test
    void passwordOfTheEnvironmentComesBeforeThatOfTheFile() {
        Properties file = new Properties();
        file.setProperty("shardedid.databases.home", "main");
        file.setProperty("shardedid.databases.main.url", "jdbc:postgresql://h/db");
        file.setProperty("shardedid.databases.main.password", "of the file");
        assertThat(MoveDatabases.of(file, Map.of("SHARDEDID_DATABASES_MAIN_PASSWORD", "of the environment"))
            .databases()
            .get("main")
            .password()).isEqualTo("of the environment");
    }

}
