package io.shardedid.database;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
                NEW.%s := %sshardedid_next();
                RETURN NEW;
              END IF;
            """;

    private static final Pattern FUNCTION = Pattern
        .compile("CREATE OR REPLACE FUNCTION (?<name>.+?)\\((?<arguments>.*?)\\) RETURNS");

    private static final Pattern TRIGGER = Pattern
        .compile("CREATE OR REPLACE TRIGGER (?<name>.+?) BEFORE INSERT ON (?<table>.+)");

    private PostgresScript() {
    }

    /** Returns the statements that make counter and functions. */
    static List<String> functions(LayoutValues layout) {
        Map<String, String> values = layout.asMap();
        values.put("shardForNumber", shardForNumber(layout));
        List<String> statements = new ArrayList<>(SqlTemplate.statements("postgresql-functions.sql", values));
        if (layout.firstTick() > 0) {
            statements.addAll(SqlTemplate.statements("postgresql-since.sql", values));
        }
        return statements;
    }

    private static String shardForNumber(LayoutValues layout) {
        return layout.modulo() ? "mod(mod(key, %1$d) + %1$d, %1$d)::integer".formatted(layout.shards())
                : "mod(mod(%sshardedid_hash(key) + 18446744073709551616, 18446744073709551616), %d)::integer"
                    .formatted(layout.schema(), layout.shards());
    }

    /** Returns the statements that make a trigger. */
    static List<String> trigger(IdTrigger trigger, LayoutValues layout) {
        String key = "NEW." + trigger.key();
        Map<String, String> values = new TreeMap<>();
        values.put("schema", layout.schema());
        values.put("table", trigger.table());
        values.put("id", trigger.id());
        values.put("name", "\"" + trigger.name() + "\"");
        boolean keyless = trigger.kind() == KeyKind.NONE;
        values.put("check", keyless ? "" : trigger.optionalKey()
                ? OWN_SHARD.formatted(key, trigger.id(), layout.schema()) : CHECK.formatted(key, trigger.keyText()));
        values.put("shard", switch (trigger.kind()) {
            case NUMBER -> "%sshardedid_shard_for(%s::bigint)".formatted(layout.schema(), key);
            case TEXT -> "%sshardedid_shard_for(%s::text)".formatted(layout.schema(), key);
            case UUID -> "%sshardedid_shard_for(%s::uuid)".formatted(layout.schema(), key);
            case SHARDED_ID -> "%sshardedid_colocated(%s)".formatted(layout.schema(), key);
            case NONE -> "";
        });
        return SqlTemplate.statements("postgresql-trigger.sql", values);
    }

    /** Returns the statement that takes back what another one made; a counter stays. */
    static Optional<String> drop(String statement) {
        Matcher function = FUNCTION.matcher(statement);
        if (function.find()) {
            return Optional
                .of("DROP FUNCTION IF EXISTS %s(%s)".formatted(function.group("name"), function.group("arguments")));
        }
        Matcher trigger = TRIGGER.matcher(statement);
        return trigger.find()
                ? Optional
                    .of("DROP TRIGGER IF EXISTS %s ON %s".formatted(trigger.group("name"), trigger.group("table")))
                : Optional.empty();
    }

    /** Returns statements as {@code psql} and migration tools read them. */
    static String script(List<String> statements) {
        return statements.stream().map((statement) -> statement + ";\n").collect(Collectors.joining("\n"));
    }

}
