package io.shardedid.database;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.shardedid.IdLayout;
import io.shardedid.ShardFunction;
import io.shardedid.testdb.TestDatabase;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A dump is restored without a search path, where a server and its clients are installed.
 */
@Tag("proof")
@Tag("nightly")
class RestoreIT {

    @TempDir
    private Path folder;

    @TestFactory
    Stream<DynamicTest> indexesAndTriggersWorkAfterARestore() throws Exception {
        return InstalledPostgres.programs()
            .stream()
            .map((programs) -> DynamicTest.dynamicTest(programs.toString(), () -> restore(programs)));
    }

    private void restore(Path programs) throws Exception {
        try (InstalledPostgres server = new InstalledPostgres(programs, this.folder.resolve("data"))) {
            server.database().execute("CREATE ROLE app LOGIN", "CREATE DATABASE qualified", "CREATE DATABASE open");
            TestDatabase source = server.database();
            create(source, UnaryOperator.identity());
            source.execute("CREATE INDEX photo_shard ON photo (shardedid_shard_for(caption))");
            long last = insert(source.as("app", ""));
            dumpAndRestore(programs, server, "qualified");

            TestDatabase restored = named(source, "qualified");
            assertThat(restored.query("SELECT caption FROM photo WHERE id = " + last)).isEqualTo("a lake");
            assertThat(insert(restored.as("app", ""))).isGreaterThan(last);
            assertThat(restored.query("SELECT obj_description('shardedid_cell'::regclass)"))
                .isEqualTo("Layout: " + IdLayout.standard().fingerprint());

            source.execute("DROP SCHEMA public CASCADE", "CREATE SCHEMA public");
            create(source, (script) -> script.replace("HOME_SCHEMA.", "")
                .replace(" SET search_path = pg_catalog, pg_temp", ""));
            assertThatThrownBy(
                    () -> source.execute("SET search_path = ''; INSERT INTO public.photo (caption) VALUES ('b')"))
                .cause()
                .hasMessageContaining("does not exist");
            source.execute("INSERT INTO photo (caption) VALUES ('a lake')",
                    "CREATE INDEX photo_shard ON photo (shardedid_shard_for(caption))");
            assertThatThrownBy(() -> dumpAndRestore(programs, server, "open")).isInstanceOf(AssertionError.class)
                .hasMessageContaining("does not exist");
        }
    }

    private static void create(TestDatabase database, UnaryOperator<String> change) {
        database.execute("CREATE TABLE photo (id bigint PRIMARY KEY, caption text NOT NULL)",
                change.apply(new DatabaseIds(IdLayout.standard(), 2000, ShardFunction.modulo(), Duration.ofSeconds(1),
                        Duration.ofSeconds(5))
                    .script("", IdTrigger.keyed("photo", "id", KeyKind.TEXT, "caption"))),
                "GRANT USAGE ON SCHEMA public TO app", "GRANT INSERT, SELECT ON photo TO app",
                "GRANT EXECUTE ON FUNCTION shardedid_claim() TO app");
    }

    private static long insert(TestDatabase database) {
        return Long.parseLong(database.query("INSERT INTO photo (caption) VALUES ('a lake') RETURNING id"));
    }

    private static TestDatabase named(TestDatabase database, String name) {
        return new TestDatabase(database.url().replaceFirst("[^/]*$", name), database.user(), database.password());
    }

    private void dumpAndRestore(Path programs, InstalledPostgres server, String target) throws Exception {
        ProcessBuilder command = new ProcessBuilder("bash", "-o", "pipefail", "-c",
                "pg_dump --dbname=\"$FIRST\" | psql --quiet --single-transaction --set=ON_ERROR_STOP=1 --dbname=\"$SECOND\"");
        command.environment().put("FIRST", server.uri());
        command.environment().put("SECOND", server.uri().replaceFirst("[^/]*$", target));
        command.environment().merge("PATH", programs.toString(), (path, added) -> added + ":" + path);
        InstalledPostgres.execute(command, this.folder.resolve("dump." + target));
    }

}
