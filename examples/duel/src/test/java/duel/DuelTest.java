package duel;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;

import org.junit.jupiter.api.Test;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

class DuelTest {

    @Test
    void shardedIdHasNoDuplicatesAndRandomNodesHave() throws Exception {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        PrintStream console = System.out;
        System.setOut(new PrintStream(output, true, UTF_8));
        try {
            Duel.main(new String[] { "2" });
        }
        finally {
            System.setOut(console);
        }
        String text = output.toString(UTF_8);
        console.print(text);
        String[] workers = text.replaceAll("(?s).*worker id (\\d) is paused, (\\d) is killed.*", "$1 $2").split(" ");
        assertThat(text.replaceAll("(?s).*and get (\\d) and (\\d).*", "$1 $2").split(" "))
            .containsExactlyInAnyOrder(workers);
        assertThat(text).containsPattern("ShardedId: 0 duplicates of [1-9]")
            .containsPattern("hypersistence-tsid: [1-9][0-9,]* duplicates of [1-9]");
    }

}
