package io.shardedid;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Runs the block of docs/mapping.md#making-and-reading-ids-in-your-code that partitions a
 * table by time.
 */
@Tag("database")
class PartitionsPageIT {

    private static final Instant MARCH = Instant.parse("2026-03-01T00:00:00Z");

    private static final Instant JULY = Instant.parse("2026-07-01T00:00:00Z");

    private final TestDatabase database = TestServer.POSTGRESQL.freshDatabase();

    @Test
    void monthsBeginWithTheFirstIdOfTheirFirstInstant() throws IOException {
        IdLayout layout = ShardedIdSettings.from(Map.of()).layout();
        this.database.execute(block());

        assertThat(partitionOf(layout.firstIdAt(MARCH) - 1)).isEqualTo("photo_2026_02");
        assertThat(partitionOf(layout.firstIdAt(MARCH))).isEqualTo("photo_2026_03");
        assertThat(partitionOf(layout.firstIdAt(JULY) - 1)).isEqualTo("photo_2026_06");
        assertThatThrownBy(() -> partitionOf(layout.firstIdAt(JULY))).rootCause().hasMessageContaining("no partition");
    }

    private String partitionOf(long id) {
        this.database.execute("INSERT INTO photo VALUES (%s, 7)".formatted(id));
        return this.database.query("SELECT tableoid::regclass FROM photo WHERE id = " + id);
    }

    private static String block() throws IOException {
        Matcher block = Pattern.compile("```sql\n(CREATE TABLE photo [^\n]* PARTITION BY RANGE.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("../docs/mapping.md")));
        assertThat(block.find()).isTrue();
        return block.group(1);
    }

}
