package io.shardedid.database;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.shardedid.ShardedIdConfigurationException;

/**
 * A database that can make ids, or read them, and how it is told to.
 */
public enum IdDatabase {

    /** PostgreSQL, 14 or later. */
    POSTGRESQL("postgresql") {

        @Override
        String shardForNumber(String schema, int shards, boolean modulo) {
            return modulo ? "mod(mod(key, %1$d) + %1$d, %1$d)::integer".formatted(shards)
                    : "mod(mod(%sshardedid_hash(key) + 18446744073709551616, 18446744073709551616), %d)::integer"
                        .formatted(schema, shards);
        }

        @Override
        List<String> trigger(IdTrigger trigger, LayoutValues layout) {
            String key = "NEW." + trigger.key();
            Map<String, String> values = new TreeMap<>();
            values.put("schema", layout.schema());
            values.put("table", trigger.table());
            values.put("id", trigger.id());
            values.put("name", "\"" + trigger.name() + "\"");
            values.put("check", (trigger.kind() == KeyKind.NONE) ? "" : CHECK.formatted(key, trigger.keyText()));
            values.put("shard", switch (trigger.kind()) {
                case NUMBER -> "%sshardedid_shard_for(%s::bigint)".formatted(layout.schema(), key);
                case TEXT -> "%sshardedid_shard_for(%s::text)".formatted(layout.schema(), key);
                case UUID -> "%sshardedid_shard_for(%s::uuid)".formatted(layout.schema(), key);
                case SHARDED_ID -> "%sshardedid_colocated(%s)".formatted(layout.schema(), key);
                case NONE -> "";
            });
            return SqlTemplate.statements("postgresql-trigger.sql", values);
        }

        @Override
        String dropFunction(String name, String arguments) {
            return "DROP FUNCTION IF EXISTS %s(%s)".formatted(name, arguments);
        }

        @Override
        String script(List<String> statements) {
            return statements.stream().map((statement) -> statement + ";\n").collect(Collectors.joining("\n"));
        }

    },

    /** MariaDB, 10.6 or later: it reads ids, and makes none. */
    MARIADB("mariadb") {

        @Override
        String shardForNumber(String schema, int shards, boolean modulo) {
            return modulo ? "MOD(MOD(k, %1$d) + %1$d, %1$d)".formatted(shards)
                    : "MOD(%sshardedid_hash(k), %d)".formatted(schema, shards);
        }

        /**
         * Nothing in it moves a counter to the clock and stays when a transaction rolls
         * back.
         */
        @Override
        List<String> trigger(IdTrigger trigger, LayoutValues layout) {
            throw new ShardedIdConfigurationException(
                    ("MariaDB reads ids, it cannot make them: trigger on '%s' (its sequences move only by literal numbers); "
                            + "let the application make them")
                        .formatted(trigger.table()));
        }

        @Override
        String dropFunction(String name, String arguments) {
            return "DROP FUNCTION IF EXISTS " + name;
        }

        /** Its clients would end a function at the first semicolon. */
        @Override
        String script(List<String> statements) {
            return statements.stream()
                .map((statement) -> statement + "\n//\n")
                .collect(Collectors.joining("\n", "DELIMITER //\n\n", "\nDELIMITER ;\n"));
        }

    };

    private static final String CHECK = """
              IF %s IS NULL THEN
                RAISE EXCEPTION USING ERRCODE = 'not_null_violation', MESSAGE =
                  'Could not generate an id: the shard key is null: column=%s (set it before the insert)';
              END IF;
            """;

    private static final Pattern FUNCTION = Pattern
        .compile("CREATE (OR REPLACE )?FUNCTION (IF NOT EXISTS )?(?<name>.+?)\\((?<arguments>.*?)\\) RETURNS");

    private static final Pattern TRIGGER = Pattern
        .compile("CREATE OR REPLACE TRIGGER (?<name>.+?) BEFORE INSERT ON (?<table>.+)");

    private final String folder;

    IdDatabase(String folder) {
        this.folder = folder;
    }

    /** The statements that make counter and functions. */
    List<String> functions(LayoutValues layout) {
        Map<String, String> values = layout.asMap();
        values.put("shardForNumber", shardForNumber(layout.schema(), layout.shards(), layout.modulo()));
        List<String> statements = new ArrayList<>(SqlTemplate.statements(this.folder + "-functions.sql", values));
        if (layout.firstTick() > 0) {
            statements.addAll(SqlTemplate.statements(this.folder + "-since.sql", values));
        }
        return statements;
    }

    /** The statement that takes back what another one made; a counter stays. */
    Optional<String> drop(String statement) {
        Matcher function = FUNCTION.matcher(statement);
        if (function.find()) {
            return Optional.of(dropFunction(function.group("name"), function.group("arguments")));
        }
        Matcher trigger = TRIGGER.matcher(statement);
        return trigger.find()
                ? Optional
                    .of("DROP TRIGGER IF EXISTS %s ON %s".formatted(trigger.group("name"), trigger.group("table")))
                : Optional.empty();
    }

    abstract String shardForNumber(String schema, int shards, boolean modulo);

    /**
     * The statements that make a trigger.
     * @throws ShardedIdConfigurationException if the database makes no ids
     */
    abstract List<String> trigger(IdTrigger trigger, LayoutValues layout);

    abstract String dropFunction(String name, String arguments);

    /** The statements as the database's own client reads them. */
    abstract String script(List<String> statements);

}
