package io.shardedid.sample.laboratory;

import java.time.Duration;

import io.shardedid.sample.SampleTest;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The two ways in which a storm finds an id twice, with ids that are broken.
 */
@SampleTest
@Tag("slow")
class BrokenIdsTest {

    private static final int ROWS = 1000;

    @Autowired
    private Storm storm;

    @Autowired
    private JdbcTemplate sql;

    @BeforeEach
    void breakTheIds() {
        this.sql.execute("create trigger broken_ids before insert on storm_sharded for each row call \"%s\""
            .formatted(BrokenIds.class.getName()));
    }

    @AfterEach
    void mendTheIds() {
        this.sql.execute("drop trigger broken_ids");
    }

    @Test
    void thePrimaryKeyRefusesThemAndTheStormSaysSo() {
        StormView view = storm();
        assertThat(view.laps().get(0).duplicates()).isPositive();
        assertThat(view.laps().get(0).state()).isEqualTo("stopped");
        assertThat(view.laps()).filteredOn((lap) -> !lap.kind().equals("ShardedId"))
            .allSatisfy((lap) -> assertThat(lap.duplicates()).isZero());
        assertThat(view.message()).contains("duplicates by primary key and by count").doesNotContain(" 0 duplicates");
    }

    @Test
    void withoutAPrimaryKeyTheCountFindsThem() {
        this.sql.execute("alter table storm_sharded drop primary key");
        try {
            StormView view = storm();
            assertThat(view.laps().get(0).duplicates()).isEqualTo(ROWS / 100);
            assertThat(view.message()).contains(" 10 duplicates by primary key and by count");
        }
        finally {
            this.sql.execute("truncate table storm_sharded");
            this.sql.execute("alter table storm_sharded add primary key (id)");
        }
    }

    private StormView storm() {
        this.storm.start(new StormTerms(ROWS, 2));
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> !this.storm.view().running());
        return this.storm.view();
    }

}
