package io.shardedid.clusters;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

import io.shardedid.IdLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What pg_partman makes of a table that is partitioned by ids, as {@code
 * docs/partitions.md} says.
 */
class PartmanIT {

    private static final IdLayout LAYOUT = IdLayout.standard();

    /** A hundred weeks after the epoch of the layout. */
    private static final Instant FIRST = Instant.parse("2026-12-02T00:00:00Z");

    private static final int PREMADE = 8;

    @TempDir
    private Path folder;

    private Postgres server;

    @BeforeEach
    void start() throws Exception {
        this.server = Postgres.start(this.folder.resolve("data"), "fsync=off");
        this.server.execute("CREATE SCHEMA partman; CREATE EXTENSION pg_partman SCHEMA partman");
        this.server.execute("CREATE TABLE photo (id bigint PRIMARY KEY, user_id bigint NOT NULL, caption text) "
                + "PARTITION BY RANGE (id)");
    }

    @AfterEach
    void stop() {
        this.server.close();
    }

    @Test
    void weeksBeginAtMidnightFollowTheRowsAndAreDropped() throws Exception {
        this.server.execute(page());
        assertThat(bounds()).isEqualTo(weeks(0, PREMADE));

        insert(0);
        insert(5);
        this.server.execute("SELECT partman.run_maintenance('public.photo')");
        assertThat(bounds()).isEqualTo(weeks(0, 5 + PREMADE));

        insert(10);
        this.server
            .execute("UPDATE partman.part_config SET retention = (%d)::text".formatted(4 * (firstId(1) - firstId(0))));
        this.server.execute("SELECT partman.run_maintenance('public.photo')");
        assertThat(bounds().get(0)).isEqualTo(weeks(6, 6).get(0));
        assertThat(this.server.query("SELECT id FROM photo")).containsExactly(String.valueOf(firstId(10)));
    }

    @Test
    void rowsAfterALongPauseWaitInTheDefaultPartition() throws Exception {
        this.server.execute(page());
        insert(0);
        insert(20);
        assertThat(homeOf(20)).isEqualTo("photo_default");
        assertThatThrownBy(() -> this.server.execute("SELECT partman.run_maintenance('public.photo')"))
            .hasMessageContaining("photo_default");

        this.server.execute("SELECT partman.partition_data_id('public.photo')");
        this.server.execute("SELECT partman.run_maintenance('public.photo')");
        assertThat(homeOf(20)).isEqualTo("photo_p" + firstId(20));
    }

    @Test
    void epochOfPartmanIsNotInTheIds() throws Exception {
        this.server.execute("SELECT partman.create_parent('public.photo', 'id', 'native', 'monthly', "
                + "p_epoch => 'milliseconds', p_start_partition => '2026-12-01')");
        insert(0);
        assertThat(homeOf(0)).isEqualTo("photo_default");
    }

    @Test
    void monthsOfTheInspectorAreNotTakenOver() throws Exception {
        this.server.execute("CREATE TABLE photo_2026_11 PARTITION OF photo FOR VALUES FROM (%d) TO (%d)".formatted(
                LAYOUT.firstIdAt(Instant.parse("2026-11-01T00:00:00Z")),
                LAYOUT.firstIdAt(Instant.parse("2026-12-01T00:00:00Z"))));
        this.server.execute(page());
        insert(0);
        assertThatThrownBy(() -> this.server.execute("SELECT partman.run_maintenance('public.photo')"))
            .isInstanceOf(SQLException.class);
    }

    private static String page() throws IOException {
        Matcher block = Pattern.compile("```sql\n(-- weeks by pg_partman 4.7\n.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("../../docs/partitions.md")));
        assertThat(block.find()).isTrue();
        return block.group(1);
    }

    private static long firstId(long week) {
        return LAYOUT.firstIdAt(FIRST.plus(Duration.ofDays(7 * week)));
    }

    private void insert(long week) throws SQLException {
        this.server.execute("INSERT INTO photo VALUES (%d, 4, 'a lake')".formatted(firstId(week)));
    }

    private String homeOf(long week) throws SQLException {
        return this.server.query("SELECT tableoid::regclass FROM photo WHERE id = " + firstId(week)).get(0);
    }

    private List<String> bounds() throws SQLException {
        return this.server.query("SELECT pg_get_expr(relpartbound, c.oid) AS bound FROM pg_class c "
                + "JOIN pg_inherits i ON i.inhrelid = c.oid "
                + "WHERE inhparent = 'photo'::regclass AND relname <> 'photo_default' ORDER BY relname");
    }

    private static List<String> weeks(long first, long last) {
        return LongStream.rangeClosed(first, last)
            .mapToObj((week) -> "FOR VALUES FROM ('%d') TO ('%d')".formatted(firstId(week), firstId(week + 1)))
            .toList();
    }

}
