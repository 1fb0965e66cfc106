package io.shardedid.benchmarks;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;

import org.junit.jupiter.api.Test;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

class TwoMinutesTest {

    @Test
    void eachGeneratorHasAnIdAndARow() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new TwoMinutes(Database.H2, Scale.SMOKE, Duration.ofSeconds(2)).run(new PrintStream(out, true, UTF_8));
        String text = out.toString(UTF_8);

        assertThat(text.lines().filter((line) -> line.contains("#"))).hasSize(15)
            .allSatisfy((line) -> assertThat(line).containsPattern(" [0-9,]*[1-9][0-9,.]* +#"));
        assertThat(text).contains("32,000 ids a second in each shard and process, 64,000,000 in 2,000 shards");
        assertThat(text.lines().filter((line) -> line.contains("#"))).first()
            .asString()
            .contains("ShardedId standard, one shard", "32 a ms");
    }

    @Test
    void longestBarIsOfTheLargestValue() {
        Bars bars = new Bars("Title", "%4.0f");
        Measurements measured = new Measurements();
        measured.add("half", 50);
        measured.add("all", 100);
        bars.add("half", measured.series("half"), "");
        bars.add("all", measured.series("all"), "ceiling");
        bars.add("none", measured.series("none"), "");
        assertThat(bars.text())
            .isEqualTo("Title\n  half   50  %s\n  all   100  %s ceiling\n".formatted("#".repeat(16), "#".repeat(32)));
    }

}
