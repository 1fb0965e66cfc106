package io.shardedid.database;

import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class IdTriggerTest {

    /** PostgreSQL cuts a longer name, and two tables would have one trigger. */
    @Test
    void nameFitsPostgresAndNamesOneTable() {
        assertThat(IntStream.rangeClosed(30, 63).mapToObj("t"::repeat).map(IdTriggerTest::name))
            .allMatch((name) -> name.length() <= 63)
            .doesNotHaveDuplicates();
        assertThat(name("t".repeat(50))).isEqualTo("shardedid_on_" + "t".repeat(50)).hasSize(63);
        assertThat(name("t".repeat(51))).startsWith("shardedid_on_" + "t".repeat(41) + "_");
    }

    private static String name(String table) {
        return IdTrigger.keyless(table, "id").name();
    }

}
