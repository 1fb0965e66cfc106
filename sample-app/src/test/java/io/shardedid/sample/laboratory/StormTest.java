package io.shardedid.sample.laboratory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.shardedid.ShardedIds;
import io.shardedid.routing.Shards;
import io.shardedid.sample.SampleTest;
import jakarta.persistence.EntityManager;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;

@SampleTest
@Tag("slow")
class StormTest {

    @Autowired
    private MockMvcTester mvc;

    @Autowired
    private Storm storm;

    @Autowired
    private StormRows rows;

    @Autowired
    private JdbcTemplate sql;

    @Autowired
    private ShardHistogram histogram;

    @Autowired
    private EntityManager entities;

    @Autowired
    private Shards shards;

    @Autowired
    private ShardedIds ids;

    @Autowired
    private ObjectProvider<ShardMoves> moves;

    @AfterEach
    void calm() {
        this.storm.cancel();
        over();
    }

    @Test
    void insertsTheSameRowsWithEachKindOfIdAndCountsNoIdTwice() {
        this.storm.start(new StormTerms(3000, 4));
        StormView view = over();
        assertThat(view.message())
            .isEqualTo("9,000 rows by 4 threads, 0 duplicates by primary key and by count; the rows are removed.");
        assertThat(view.laps()).extracting(LapView::kind).containsExactly("ShardedId", "IDENTITY", "UUIDv4");
        assertThat(view.laps()).allSatisfy((lap) -> {
            assertThat(lap.state()).isEqualTo("done");
            assertThat(lap.inserted()).isEqualTo(3000);
            assertThat(lap.duplicates()).isZero();
            assertThat(lap.rowsPerSecond()).isPositive();
            assertThat(lap.slowest()).isPositive().isLessThanOrEqualTo(lap.fastest());
        });
    }

    @Test
    void ranksTheKindsOnlyIfTheyDifferByMoreThanEachChanged() {
        assertThat(ended(lap("done", 100, 120), lap("done", 300, 340), lap("done", 121, 200)).comparable()).isTrue();
        assertThat(ended(lap("done", 100, 120), lap("done", 300, 340), lap("done", 119, 200)).comparable()).isFalse();
        assertThat(ended(lap("done", 100, 120), lap("stopped", 300, 340)).comparable()).isFalse();
        assertThat(ended(lap("done", 100, 120)).comparable()).as("one kind alone").isFalse();
    }

    private static StormView ended(LapView... laps) {
        return new StormView(false, 8, 1, List.of(laps), "over");
    }

    private static LapView lap(String state, long slowest, long fastest) {
        return new LapView("kind", "trait", state, 8, 8, 80, (slowest + fastest) / 2, slowest, fastest, 0L);
    }

    @Test
    void leavesNoRowBehindAndKeepsHowTheySpread() {
        this.storm.start(new StormTerms(2500, 2));
        over();
        for (IdKind kind : IdKind.values()) {
            assertThat(this.rows.count(kind)).as(kind.table()).isZero();
        }
        assertThat(ShardHistogram.sum(this.storm.shards().orElseThrow().values())).hasSize(ShardHistogram.BINS)
            .allMatch((rows) -> rows > 0)
            .satisfies((bins) -> assertThat(bins.stream().mapToLong(Long::longValue).sum()).isEqualTo(2500));
    }

    /**
     * Of the storm that has begun with none, so that a page can say what takes so long.
     */
    @Test
    void warmsUpUntilTheFirstKindBegins() {
        Lap lap = new Lap(IdKind.SHARDED, 3);
        assertThat(new StormView(true, 3, 1, List.of(lap.view()), null).warmingUp()).isTrue();
        assertThat(new StormView(false, 3, 1, List.of(lap.view()), null).warmingUp()).isFalse();
        lap.begin();
        assertThat(new StormView(true, 3, 1, List.of(lap.view()), null).warmingUp()).isFalse();
    }

    @Test
    void insertsEachKindBeforeItMeasuresTheFirst() {
        List<String> seen = new ArrayList<>();
        StormRun[] run = new StormRun[1];
        StormRows rows = new StormRows(this.entities, null, this.sql, this.shards, this.ids, this.moves) {
            @Override
            void insert(IdKind kind, int count) {
                seen.add(kind + (run[0].view().warmingUp() ? " warming up" : ""));
            }
        };
        run[0] = new StormRun(new StormTerms(10, 1), rows, this.histogram);
        run[0].run(Runnable::run);
        assertThat(seen).startsWith("SHARDED warming up", "IDENTITY warming up", "UUID warming up")
            .endsWith("UUID warming up", "SHARDED", "IDENTITY", "UUID");
    }

    @Test
    void countsARowThatIsThereTwice() {
        Lap lap = new Lap(IdKind.SHARDED, 3);
        lap.begin();
        lap.inserted(3);
        lap.insertedAll();
        lap.counted(3, 2);
        assertThat(lap.view().duplicates()).isEqualTo(1);
    }

    @Test
    void countsAnIdThatThePrimaryKeyRefused() {
        Lap lap = new Lap(IdKind.SHARDED, 3);
        lap.begin();
        lap.inserted(2);
        lap.refused();
        lap.insertedAll();
        lap.counted(2, 2);
        assertThat(lap.view().duplicates()).isEqualTo(1);
        assertThat(lap.view().state()).isEqualTo("stopped");
    }

    @Test
    void theTableItselfRefusesAnIdThatIsThere() {
        String insert = "insert into storm_sharded (id, author, caption, width, height) values (1, 1, 'a', 1, 1)";
        this.sql.execute(insert);
        try {
            assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> this.sql.execute(insert)))
                .isInstanceOf(org.springframework.dao.DuplicateKeyException.class);
        }
        finally {
            this.rows.remove(IdKind.SHARDED);
        }
    }

    @Test
    void saysThatAnErrorStoppedItAndKeepsItsTextForTheLog() {
        StormRows broken = new StormRows(this.entities, null, this.sql, this.shards, this.ids, this.moves) {
            @Override
            void insert(IdKind kind, int rows) {
                throw new QueryTimeoutException("insert into storm_sharded at db.example:5432");
            }
        };
        StormRun run = new StormRun(new StormTerms(10, 2), broken, this.histogram);
        run.run(Runnable::run);
        assertThat(run.view().message()).isEqualTo("Stopped by an error (QueryTimeoutException); "
                + "the log of this application says more. The rows are removed.");
        assertThat(run.view().laps()).extracting(LapView::state).containsOnly("waiting");
    }

    @Test
    void oneAtATimeAndItCanBeCancelled() {
        assertThat(start("100000", "2")).hasStatus(HttpStatus.FOUND).hasRedirectedUrl("/storm");
        assertThat(start("1", "1")).hasStatus(HttpStatus.CONFLICT)
            .bodyText()
            .contains("A storm runs already; wait for its end or cancel it.");
        assertThat(this.mvc.post().uri("/storm/cancel")).hasStatus(HttpStatus.FOUND);
        assertThat(over().message()).isEqualTo("Cancelled; the rows are removed.");
        assertThat(this.rows.count(IdKind.SHARDED)).isZero();
    }

    @ParameterizedTest
    @CsvSource({ "0, 4, 'rows', 100000", "100001, 4, 'rows', 100000", "1, 0, 'threads', 8", "1, 9, 'threads', 8" })
    void refusesWhatIsTooMuch(String rows, String threads, String name, int most) {
        assertThat(start(rows, threads)).hasStatus(HttpStatus.BAD_REQUEST)
            .bodyText()
            .contains("&#39;%s&#39; must be a whole number in [1, %s]".formatted(name, most));
    }

    @Test
    void aPageOfAnotherSiteCannotStartOne() {
        assertThat(this.mvc.post()
            .uri("/storm")
            .header("Sec-Fetch-Site", "cross-site")
            .param("rows", "10")
            .param("threads", "1")).hasStatus(HttpStatus.FORBIDDEN);
        assertThat(this.storm.view().running()).isFalse();
    }

    @Test
    void thePageSaysAboveTheBarsWhatADatabaseInThisProcessDoesNotShow() {
        assertThat(this.mvc.get().uri("/storm")).bodyText()
            .containsSubsequence("Rows per second", "That says nothing about a database behind a network.",
                    "<table class=\"bars\">");
    }

    @Test
    void thePageIsReadableWithoutScripts() {
        this.storm.start(new StormTerms(500, 1));
        over();
        assertThat(this.mvc.get().uri("/storm")).hasStatusOk()
            .bodyText()
            .contains("1,500 rows by 1 thread, 0 duplicates", "max=\"500\"", "value=\"500\"");
        assertThat(this.mvc.get().uri("/api/storm")).bodyJson().extractingPath("$.laps[0].inserted").isEqualTo(500);
    }

    private MvcTestResult start(String rows, String threads) {
        return this.mvc.post().uri("/storm").param("rows", rows).param("threads", threads).exchange();
    }

    private StormView over() {
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> !this.storm.view().running());
        return this.storm.view();
    }

}
