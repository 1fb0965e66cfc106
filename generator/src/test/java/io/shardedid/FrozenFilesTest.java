package io.shardedid;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.shardedid.internal.config.ShardedIdKey;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Reads what version 0.1 recorded: ids, shards, fingerprints, keys, and a lease table
 * with the ids that were made under it. A version that reads one of these lines in
 * another way breaks the databases of its users.
 */
class FrozenFilesTest {

    private static final String URL = "jdbc:h2:mem:frozen;DB_CLOSE_DELAY=-1";

    @AfterEach
    void dropDatabase() throws SQLException {
        execute("SHUTDOWN");
    }

    @Test
    void presetsHaveTheRecordedFieldsAndFingerprints() throws IOException {
        assertThat(lines("layouts.csv")).hasSize(6).allSatisfy((line) -> {
            IdLayout layout = IdLayout.preset(line.split(";")[0]);
            assertThat(String.join(";", line.split(";")[0], layout.fingerprint(), layout.epoch().toString(),
                    layout.tick().toString(), "" + layout.timeBits(), "" + layout.shardBits(), "" + layout.workerBits(),
                    "" + layout.sequenceBits(), "" + layout.lastId()))
                .isEqualTo(line);
        });
    }

    @Test
    void idsAreReadAsTheyWereRecorded() throws IOException {
        assertThat(lines("ids.csv")).hasSizeGreaterThan(90).allSatisfy((line) -> {
            String[] fields = line.split(";");
            IdParts parts = IdLayout.preset(fields[0]).parse(Long.parseLong(fields[1]));
            assertThat(String.join(";", fields[0], fields[1], parts.instant().toString(), "" + parts.shard(),
                    "" + parts.worker(), "" + parts.sequence()))
                .isEqualTo(line);
        });
    }

    @Test
    void keysLeadToTheRecordedShards() throws IOException {
        assertThat(lines("shards.csv")).hasSizeGreaterThan(100).allSatisfy((line) -> {
            String[] fields = line.split(";", -1);
            ShardFunction function = fields[0].equals("modulo") ? ShardFunction.modulo() : ShardFunction.hash();
            assertThat(function.id()).isEqualTo(fields[0]);
            assertThat(function.shardOf(key(fields[1], fields[2]), Integer.parseInt(fields[3])))
                .isEqualTo(Integer.parseInt(fields[4]));
        });
    }

    @Test
    void everyKeyIsRecordedWithItsDefault() throws IOException {
        ShardedIdSettings byDefault = ShardedIdSettings.from(Map.of());
        assertThat(lines("keys.properties")).as("a new key gets a line")
            .extracting((line) -> line.split("=", 2)[0])
            .containsExactlyInAnyOrderElementsOf(Arrays.stream(ShardedIdKey.values())
                .filter(ShardedIdKey::isPublic)
                .map(ShardedIdKey::externalName)
                .toList());
        assertThat(lines("keys.properties")).allSatisfy((line) -> {
            String name = line.split("=", 2)[0];
            String value = line.split("=", 2)[1];
            ShardedIdKey key = ShardedIdKey.named(name).orElseThrow();
            assertThat(byDefault.get(key)).as(name)
                .isEqualTo(value.isEmpty() ? null : ShardedIdSettings.from(Map.of(name, value)).get(key));
        });
    }

    @Test
    void aRecordedLeaseTableIsContinued() throws Exception {
        execute(text("lease-table.sql"));
        Set<Long> before = lines("issued.txt").stream().map(Long::valueOf).collect(Collectors.toSet());
        assertThat(before).hasSize(600);
        IdLayout layout = IdLayout.manyShards();
        for (int worker = 0; worker < 3; worker++) {
            int claimed = worker;
            long mark = mark(worker);
            assertThat(before).filteredOn((id) -> layout.workerOf(id) == claimed)
                .isNotEmpty()
                .allMatch((id) -> layout.tickOf(id) < mark);
            try (ShardedIdEngine ids = ShardedIds.builder()
                .layout(layout)
                .workers(JdbcLeases.leased(settings(worker), LeaseConnections.url(URL, "sa", ""), "shardedid_worker",
                        SchemaInitialization.NEVER, List.of()))
                .open()) {
                for (int i = 0; i < 200; i++) {
                    long id = ids.next(i);
                    assertThat(layout.workerOf(id)).isEqualTo(worker);
                    assertThat(layout.tickOf(id)).isGreaterThanOrEqualTo(mark);
                    assertThat(before).doesNotContain(id);
                }
                assertThat(before).noneMatch(ids.reader()::isOlder);
            }
        }
    }

    private static LeaseSettings settings(int worker) {
        return LeaseSettings.builder().workerId(worker).application("later").build();
    }

    private static long mark(int worker) throws SQLException {
        try (Connection connection = DriverManager.getConnection(URL, "sa", "");
                Statement statement = connection.createStatement();
                var found = statement
                    .executeQuery("SELECT hwm_tick FROM shardedid_worker WHERE worker_id = " + worker)) {
            assertThat(found.next()).isTrue();
            return found.getLong(1);
        }
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(URL, "sa", "");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static Object key(String type, String text) {
        return switch (type) {
            case "java.lang.Byte" -> Byte.valueOf(text);
            case "java.lang.Integer" -> Integer.valueOf(text);
            case "java.lang.Long" -> Long.valueOf(text);
            case "java.lang.Short" -> Short.valueOf(text);
            case "java.lang.String" -> text;
            case "java.util.UUID" -> java.util.UUID.fromString(text);
            case "java.time.DayOfWeek" -> java.time.DayOfWeek.valueOf(text);
            case "java.math.BigInteger" -> new java.math.BigInteger(text);
            default -> throw new IllegalArgumentException(type);
        };
    }

    private static List<String> lines(String file) throws IOException {
        return text(file).lines().filter((line) -> !line.startsWith("#")).toList();
    }

    private static String text(String file) throws IOException {
        try (InputStream in = FrozenFilesTest.class.getResourceAsStream("/frozen/" + file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

}
