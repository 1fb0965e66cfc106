package io.shardedid.database;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Writes the statements that make ids in PostgreSQL 14 or later.
 */
final class PostgresScript {

    private static final String CHECK = """
              IF %s IS NULL THEN
                RAISE EXCEPTION USING ERRCODE = 'not_null_violation', MESSAGE =
                  'Could not generate an id: the shard key is null: column=%s (set it before the insert)';
              END IF;
            """;

    private static final String OWN_SHARD = """
              IF %s IS NULL THEN
                NEW.%s := HOME_SCHEMA.shardedid_next();
                RETURN NEW;
              END IF;
            """;

    /**
     * One statement, so that the functions fit each other and the counter at every
     * moment, also where a tool goes on after an error. Names are qualified when it runs:
     * the functions find each other whatever the search path of their caller is.
     */
    private static final String IN_HOME_SCHEMA = """
            DO $do$
            DECLARE
              home_schema CONSTANT text := quote_ident(%s);
            BEGIN

            %s
            END $do$""";

    private static final String EXECUTE = """
            EXECUTE replace($sql$
            %s
            $sql$, 'HOME_SCHEMA', home_schema);
            """;

    private static final String HEADER = """
            -- Ids made and read by PostgreSQL, 14 or later: the same layout, shards and shard function as the application's.
            -- Layout: %s; shards=%s.
            """;

    private PostgresScript() {
    }

    /** Returns the statement that makes counter and functions. */
    static String functions(LayoutValues layout) {
        Map<String, String> values = layout.asMap();
        values.put("shardForNumber", shardForNumber(layout));
        List<String> statements = new ArrayList<>(SqlTemplate.statements("postgresql-functions.sql", values));
        if (layout.firstTick() > 0) {
            statements.addAll(SqlTemplate.statements("postgresql-since.sql", values));
        }
        String counter = String.join("\n\n", SqlTemplate.statements("postgresql-counter.sql", values)) + ";\n\n";
        return HEADER.formatted(layout.layout().fingerprint(), layout.shards())
                + inHomeSchema(counter, statements, layout);
    }

    private static String inHomeSchema(String before, List<String> statements, LayoutValues layout) {
        return IN_HOME_SCHEMA.formatted(
                layout.schema().isEmpty() ? "current_schema()" : "'%s'".formatted(layout.schema()),
                before + statements.stream().map(EXECUTE::formatted).collect(Collectors.joining("\n")));
    }

    private static String shardForNumber(LayoutValues layout) {
        return layout.modulo() ? "mod(mod(key, %1$s) + %1$s, %1$s)::integer".formatted(layout.shards())
                : "mod(mod(HOME_SCHEMA.shardedid_hash(key) + 18446744073709551616, 18446744073709551616), %s)::integer"
                    .formatted(layout.shards());
    }

    /** Returns the statements that make a trigger. */
    static List<String> trigger(IdTrigger trigger, LayoutValues layout) {
        String key = "NEW." + trigger.key();
        Map<String, String> values = new TreeMap<>();
        values.put("schema", layout.prefix());
        values.put("table", trigger.table());
        values.put("id", trigger.id());
        values.put("name", "\"" + trigger.name() + "\"");
        boolean keyless = trigger.kind() == KeyKind.NONE;
        values.put("check", keyless ? "" : trigger.optionalKey() ? OWN_SHARD.formatted(key, trigger.id())
                : CHECK.formatted(key, trigger.keyText()));
        values.put("shard", switch (trigger.kind()) {
            case NUMBER -> "HOME_SCHEMA.shardedid_shard_for(%s::bigint)".formatted(key);
            case TEXT -> "HOME_SCHEMA.shardedid_shard_for(%s::text)".formatted(key);
            case UUID -> "HOME_SCHEMA.shardedid_shard_for(%s::uuid)".formatted(key);
            case SHARDED_ID -> "HOME_SCHEMA.shardedid_colocated(%s)".formatted(key);
            case NONE -> "";
        });
        List<String> statements = SqlTemplate.statements("postgresql-trigger.sql", values);
        return List.of(inHomeSchema("", statements.subList(0, 1), layout), statements.get(1), statements.get(2));
    }

    /** Returns statements as {@code psql} and migration tools read them. */
    static String script(List<String> statements) {
        return statements.stream().map((statement) -> statement + ";\n").collect(Collectors.joining("\n"));
    }

}
