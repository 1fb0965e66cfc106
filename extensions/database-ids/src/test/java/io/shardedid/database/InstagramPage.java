package io.shardedid.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.shardedid.IdLayout;
import io.shardedid.ShardFunction;
import io.shardedid.testdb.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The blocks of this module's {@code README.md}.
 */
final class InstagramPage {

    private static final String PAGE = "README.md";

    static final IdLayout LAYOUT = IdLayout.instagramExact()
        .toBuilder()
        .epoch(Instant.ofEpochMilli(1314220021721L))
        .build();

    private InstagramPage() {
    }

    /** The statements of a block, by the name in its first line. */
    static String sql(String name) {
        return block("```sql\n-- " + Pattern.quote(name) + ": PostgreSQL\n(.*?)```");
    }

    /** The script of the page, with other patience. */
    static String script(Duration maxWait) {
        return new DatabaseIds(LAYOUT, 2000, ShardFunction.modulo(), Duration.ofSeconds(1), maxWait)
            .shardSchema("insta5", 5);
    }

    /**
     * Lets the functions of a schema go by a clock of the test's own, which stands still.
     * @param schema whose functions
     * @param functions which of them, with the types of their arguments
     */
    static void setClock(TestDatabase database, String schema, Instant instant, String... functions) {
        database.execute("CREATE OR REPLACE FUNCTION %s.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ %s $$"
            .formatted(schema, "SELECT timestamptz '" + instant + "'"));
        for (String function : functions) {
            database.execute("ALTER FUNCTION %1$s.%2$s SET search_path = %1$s, pg_catalog".formatted(schema, function));
        }
    }

    private static String block(String pattern) {
        try {
            Matcher block = Pattern.compile(pattern, Pattern.DOTALL).matcher(Files.readString(Path.of(PAGE)));
            assertThat(block.find()).as(pattern).isTrue();
            return block.group(1);
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

}
