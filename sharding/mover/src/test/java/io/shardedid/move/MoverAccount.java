package io.shardedid.move;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.shardedid.testdb.PostgresMajor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The account of docs/moving.md, whose tables belong to the role photos. PostgreSQL 15
 * wants a superuser there.
 */
final class MoverAccount {

    static final String NAME = "mover";

    private static final Pattern RIGHTS = Pattern.compile("\\*\\*An account for the mover\\.\\*\\*.*?```sql\\R(.*?)```",
            Pattern.DOTALL);

    private MoverAccount() {
    }

    /** Makes the roles of both servers. */
    static void create(TwoServers servers, PostgresMajor major) throws IOException {
        Matcher rights = RIGHTS.matcher(Files.readString(Path.of("..", "..", "docs", "moving.md")));
        assertThat(rights.find()).isTrue();
        for (MovingServer server : List.of(servers.a, servers.b)) {
            server.execute("postgres", "CREATE ROLE photos");
            if (major != PostgresMajor.V15) {
                server.execute("postgres", rights.group(1).replace("DATABASE photos", "DATABASE postgres"));
                server.askForPassword(NAME);
            }
        }
    }

    /** Gives the tables of both databases to the role. */
    static TwoDatabases own(TwoDatabases databases, PostgresMajor major) {
        for (String each : List.of("a", "b")) {
            databases.execute(each,
                    """
                            DO $$ DECLARE t regclass; BEGIN
                              FOR t IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
                                EXECUTE format('ALTER TABLE %s OWNER TO photos', t);
                              END LOOP;
                            END $$""",
                    "ALTER SEQUENCE shardedid_home_changed OWNER TO photos",
                    "SELECT shardedid_fence(t, 'id', 12, 2047) FROM unnest(ARRAY['photo', 'comment']::regclass[]) t",
                    "GRANT CREATE ON DATABASE %s TO photos".formatted(databases.name()),
                    "GRANT CREATE ON SCHEMA public TO photos");
            if (major != PostgresMajor.V15) {
                databases.execute(each, "GRANT CREATE ON DATABASE %s TO %s".formatted(databases.name(), NAME));
            }
        }
        return databases;
    }

    /** The databases, as this account reaches them. */
    static MoveDatabases databases(TwoDatabases databases, PostgresMajor major, String parameters) {
        String user = (major != PostgresMajor.V15) ? NAME : "postgres";
        return new MoveDatabases(Map.of("a",
                new MoveDatabases.Database(databases.a.url(databases.name()) + parameters, user, "secret", null), "b",
                new MoveDatabases.Database(databases.b.url(databases.name()) + parameters, user, "secret", null)), "a",
                "default", null);
    }

}
