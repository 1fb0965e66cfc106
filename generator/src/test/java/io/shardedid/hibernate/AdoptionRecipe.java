package io.shardedid.hibernate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The SQL of the pages {@code docs/adopting*.md}, {@code docs/testing.md} and
 * {@code docs/adopting.md#uuids-that-carry-the-shard}, as it stands there.
 */
final class AdoptionRecipe {

    private static final Pattern BLOCK = Pattern.compile("```sql\\n-- ([^:\\n]+): ([^\\n]+)\\n(.*?)```",
            Pattern.DOTALL);

    private AdoptionRecipe() {
    }

    /** Runs a block by the name in its first line. */
    static void run(String name, UnitDatabase database) {
        database.execute(statements(name, database));
    }

    /** The statements of a block for the product of a database. */
    static String[] statements(String name, UnitDatabase database) {
        String product = product(database);
        String sql = BLOCK.matcher(page())
            .results()
            .filter((block) -> block.group(1).equals(name))
            .filter((block) -> Arrays.asList(block.group(2).split(", ")).contains(product))
            .map((MatchResult block) -> block.group(3))
            .reduce((first, second) -> {
                throw new AssertionError("Two blocks '" + name + "' for " + product);
            })
            .orElseThrow(() -> new AssertionError("No block '" + name + "' for " + product));
        return Arrays.stream(sql.split(";\\n")).map(String::strip).toArray(String[]::new);
    }

    /** What the query for all counters prints, as the page says to run it. */
    static List<String> besideForeignKeys(List<String> printed, UnitDatabase database) {
        List<String> statements = new ArrayList<>(printed);
        if (isMySql(database)) {
            statements.add(0, "SET FOREIGN_KEY_CHECKS = 0;");
            statements.add("SET FOREIGN_KEY_CHECKS = 1;");
        }
        return statements;
    }

    /** Runs the way back to UUIDs, with the type of their column. */
    static void runBackToUuids(UnitDatabase database, String type) {
        for (String sql : statements("back out, UUID", database)) {
            database.execute(sql.replace("photo_id UUID", "photo_id " + type));
        }
    }

    /** The type of a column of UUIDs, as Hibernate makes it. */
    static String uuidType(UnitDatabase database) {
        return isMySql(database) ? "BINARY(16)" : "UUID";
    }

    /** A UUID in SQL. */
    static String literal(UnitDatabase database, UUID uuid) {
        return isMySql(database) ? "0x" + uuid.toString().replace("-", "") : "'" + uuid + "'";
    }

    /**
     * The SQL of {@code docs/adopting.md#uuids-that-carry-the-shard} for the shard of the
     * UUID in the column {@code id}.
     */
    static String shardOfUuid(UnitDatabase database) {
        Matcher line = Pattern.compile("\\n-- %s(?:: the shard of a UUID)?\\n(.+)\\n".formatted(product(database)))
            .matcher(read("docs/adopting.md"));
        assertThat(line.find()).isTrue();
        return line.group(1);
    }

    private static String product(UnitDatabase database) {
        if (database.url().startsWith("jdbc:h2:")) {
            return "H2";
        }
        return database.url().startsWith("jdbc:postgresql:") ? "PostgreSQL" : isMySql(database) ? "MySQL" : "MariaDB";
    }

    private static boolean isMySql(UnitDatabase database) {
        return database.url().startsWith("jdbc:mysql:");
    }

    /** What the page says about the settings: leases, over tables that are there. */
    static Map<String, Object> settings() {
        return Map.of("hibernate.hbm2ddl.auto", "validate", "shardedid.worker.lease.initialize-schema", "always");
    }

    private static String page() {
        return Stream.of("docs/adopting.md", "docs/testing.md").map(AdoptionRecipe::read).collect(Collectors.joining());
    }

    private static String read(String page) {
        Path folder = Path.of("").toAbsolutePath();
        while (folder != null && !Files.exists(folder.resolve("docs/adopting.md"))) {
            folder = folder.getParent();
        }
        assertThat(folder).as("a folder above with docs/adopting.md").isNotNull();
        try {
            return Files.readString(folder.resolve(page));
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

}
