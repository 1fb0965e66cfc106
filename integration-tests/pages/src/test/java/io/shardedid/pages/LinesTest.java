package io.shardedid.pages;

import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The lines of Hibernate, as they are tested and as the page tells them. */
class LinesTest {

    private static final Pattern TESTED = Pattern
        .compile("<hibernate.version>((\\d+\\.\\d+)\\.[^<]+)</hibernate.version>");

    @Test
    void pageTellsTheVersionsThatAreTested() {
        String oldest = Pages.text("pom.xml").replaceFirst("(?s).*<hibernate-floor.version>([^<]+)<.*", "$1");
        List<String> tested = TESTED.matcher(Pages.text("integration-tests/hibernate-lines/pom.xml"))
            .results()
            .map((line) -> line.group(2) + " | " + line.group(1))
            .toList();

        assertThat(tested).hasSize(5);
        List<String> told = Pages.text("docs/reliability.md")
            .lines()
            .filter((line) -> line.matches("\\| \\d\\.\\d \\| H2 .*"))
            .map((line) -> line.replaceFirst("\\| (.+) \\| H2 .+ \\| (.+) \\| .+ \\|", "$1 | $2"))
            .toList();
        assertThat(told).containsAll(tested).contains("6.6 | " + oldest).hasSize(tested.size() + 2);
    }

}
