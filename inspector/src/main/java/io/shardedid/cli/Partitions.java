package io.shardedid.cli;

import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.shardedid.IdLayout;
import io.shardedid.IdWindow;

import org.jspecify.annotations.Nullable;

/**
 * Writes the SQL that partitions a table by the months of its ids. A month begins in UTC
 * and is half open: its partition holds the ids from the first one of its first instant
 * to the last one before the next month.
 */
final class Partitions {

    static final String FROM = "--from";

    static final String MONTHS = "--months";

    static final String DIALECT = "--dialect";

    static final String COLUMN = "--column";

    static final String ADD = "--add";

    /** Options with a value. */
    static final Set<String> VALUES = Set.of(FROM, MONTHS, DIALECT, COLUMN);

    private static final Pattern PLAIN_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /** PostgreSQL cuts longer names, so that several partitions would have one name. */
    private static final int POSTGRESQL_NAME = 63;

    private static final DateTimeFormatter SUFFIX = DateTimeFormatter.ofPattern("uuuu_MM", Locale.ROOT);

    private final IdLayout layout;

    private final String table;

    private final String column;

    private final Dialect dialect;

    private final YearMonth from;

    private final int months;

    private final boolean add;

    private Partitions(IdLayout layout, String table, Map<String, String> options) {
        this.layout = layout;
        this.table = table;
        this.column = named("column", options.getOrDefault(COLUMN, "id"), PLAIN_NAME);
        this.dialect = Dialect.named(required(DIALECT, "postgresql", options));
        this.from = month(required(FROM, "2026-01", options));
        this.months = number(options.getOrDefault(MONTHS, "12"));
        this.add = options.containsKey(ADD);
        checkRange();
        this.dialect.checkName(table, "_before_" + SUFFIX.format(this.from));
    }

    /**
     * Writes the script of a table.
     * @param layout the layout of its ids
     * @param tables what was typed after the command: one table, with a schema or without
     * @param options the options of the command by their names
     * @return the script, and the bounds of its partitions for programs
     * @throws IllegalArgumentException if an argument or an option makes no sense, or if
     * the layout has no ids of one of the months
     */
    static InspectorOutput of(IdLayout layout, List<String> tables, Map<String, String> options) {
        if (tables.size() != 1) {
            throw new IllegalArgumentException("partitions needs the name of one table");
        }
        String table = named("table", tables.get(0), Pattern.compile("(%1$s\\.)?%1$s".formatted(PLAIN_NAME)));
        Partitions partitions = new Partitions(layout, table, options);
        List<Partition> all = partitions.all();
        return new InspectorOutput(all.stream().map(Partition::record).toList(), false, partitions.script(all));
    }

    private List<Partition> all() {
        List<Partition> all = new ArrayList<>();
        if (!this.add) {
            Instant start = start(this.from);
            all.add(new Partition(name("before_" + SUFFIX.format(this.from)), null, start, "MINVALUE", bound(start)));
        }
        for (int i = 0; i < this.months; i++) {
            YearMonth month = this.from.plusMonths(i);
            Instant start = start(month);
            Instant end = start(month.plusMonths(1));
            all.add(new Partition(name(SUFFIX.format(month)), start, end, bound(start), bound(end)));
        }
        return all;
    }

    private String name(String suffix) {
        return this.dialect.partition(this.table, suffix);
    }

    private String script(List<Partition> all) {
        return "-- months of UTC; layout of the ids: %s%n".formatted(this.layout.fingerprint())
                + this.dialect.script(this.table, this.column, all, this.add);
    }

    /** The first id of an instant, or no bound at all after the last id. */
    private String bound(Instant instant) {
        if (!instant.isBefore(this.layout.lastUsableInstant().plus(this.layout.tick()))) {
            return "MAXVALUE";
        }
        return Long.toString(IdWindow.since(this.layout, instant).firstId());
    }

    private void checkRange() {
        YearMonth first = YearMonth.from(this.layout.epoch().atOffset(ZoneOffset.UTC));
        YearMonth last = YearMonth.from(this.layout.lastUsableInstant().atOffset(ZoneOffset.UTC));
        if (this.from.isBefore(first) || this.from.plusMonths(this.months - 1L).isAfter(last)) {
            throw new IllegalArgumentException("months must be in [%s, %s], the range of the layout: from=%s, months=%s"
                .formatted(first, last, this.from, this.months));
        }
    }

    private static Instant start(YearMonth month) {
        return month.atDay(1).atStartOfDay(ZoneOffset.UTC).toInstant();
    }

    private static String required(String option, String example, Map<String, String> options) {
        String value = options.get(option);
        if (value == null) {
            throw new IllegalArgumentException(
                    "partitions needs the option '%s', for example '%1$s=%s'".formatted(option, example));
        }
        return value;
    }

    private static String named(String what, String name, Pattern allowed) {
        if (!allowed.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "%s must be a plain SQL name of letters, digits and '_': %1$s='%s'".formatted(what, name));
        }
        return name;
    }

    private static YearMonth month(String text) {
        try {
            return YearMonth.parse(text);
        }
        catch (DateTimeParseException ex) {
            throw new IllegalArgumentException("from must be a month, as 2026-01: from='%s'".formatted(text), ex);
        }
    }

    private static int number(String text) {
        if (!text.matches("[1-9][0-9]{0,4}")) {
            throw new IllegalArgumentException("months must be in [1, 99999]: months='%s'".formatted(text));
        }
        return Integer.parseInt(text);
    }

    /**
     * A partition, half open in time and in ids.
     *
     * @param name its name
     * @param from the start, or null if it has none
     * @param to the end
     * @param lower the lower bound, included
     * @param upper the upper bound, excluded
     */
    private record Partition(String name, @Nullable Instant from, Instant to, String lower, String upper) {

        Map<String, Object> record() {
            Map<String, Object> record = new LinkedHashMap<>();
            record.put("partition", this.name);
            if (this.from != null) {
                record.put("from", this.from.toString());
            }
            record.put("to", this.to.toString());
            record.put("lower", this.lower);
            record.put("upper", this.upper);
            return record;
        }

    }

    private enum Dialect {

        /** Each partition is a table. The partitioned table exists and may be empty. */
        POSTGRESQL {

            @Override
            String partition(String table, String suffix) {
                return table + "_" + suffix;
            }

            @Override
            void checkName(String table, String longestSuffix) {
                String name = table.substring(table.indexOf('.') + 1);
                int most = POSTGRESQL_NAME - longestSuffix.length();
                if (name.length() > most) {
                    throw new IllegalArgumentException(
                            "table must have at most %s characters, since PostgreSQL cuts names of partitions at %s: table='%s'"
                                .formatted(most, POSTGRESQL_NAME, table));
                }
            }

            @Override
            String script(String table, String column, List<Partition> partitions, boolean add) {
                return partitions.stream()
                    .map((partition) -> "CREATE TABLE %s PARTITION OF %s FOR VALUES FROM (%s) TO (%s);%n"
                        .formatted(partition.name(), table, partition.lower(), partition.upper()))
                    .collect(Collectors.joining());
            }

        },

        /** Partitions have upper bounds only. A table is partitioned with its first. */
        MARIADB {

            @Override
            String partition(String table, String suffix) {
                return "p_" + suffix;
            }

            @Override
            void checkName(String table, String longestSuffix) {
                // Names of partitions do not begin with that of the table.
            }

            @Override
            String script(String table, String column, List<Partition> partitions, boolean add) {
                String change = add ? "ADD PARTITION" : "PARTITION BY RANGE (%s)".formatted(column);
                return partitions.stream()
                    .map((partition) -> "%n    PARTITION %s VALUES LESS THAN %s".formatted(partition.name(),
                            partition.upper().equals("MAXVALUE") ? "MAXVALUE" : "(" + partition.upper() + ")"))
                    .collect(Collectors.joining(",", "ALTER TABLE %s %s (".formatted(table, change),
                            "%n);%n".formatted()));
            }

        };

        abstract String partition(String table, String suffix);

        abstract void checkName(String table, String longestSuffix);

        abstract String script(String table, String column, List<Partition> partitions, boolean add);

        static Dialect named(String name) {
            return Arrays.stream(values())
                .filter((dialect) -> dialect.name().toLowerCase(Locale.ROOT).equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "dialect must be one of postgresql, mariadb: dialect='%s'".formatted(name)));
        }

    }

}
