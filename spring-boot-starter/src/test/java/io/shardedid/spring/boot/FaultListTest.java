package io.shardedid.spring.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The list of faults goes with the code, so that {@code Faults.java} can apply each, and
 * a merge runs each test that finds one.
 */
class FaultListTest {

    private static final Path ROOT = Path.of("..");

    private static final Pattern FAULT = Pattern
        .compile("(?ms)^== (\\S+) (\\S+) (?:([^\\s:]+):)?(\\S+)\\n[^\\n]*\\n(<<<.*?)\\n===$");

    private static final Pattern CHANGE = Pattern.compile("(?ms)^<<<(?: (\\S+))?\\n(.*?)\\n>>>\\n");

    @Test
    void eachPlaceIsInTheCodeOnceAndEachTestExists() throws IOException {
        String list = Files.readString(ROOT.resolve("proof/faults/faults.txt"));
        List<MatchResult> faults = FAULT.matcher(list).results().toList();

        assertThat(faults).hasSize((int) list.lines().filter((line) -> line.startsWith("== ")).count());
        assertThat(faults).extracting((fault) -> fault.group(1)).doesNotHaveDuplicates();
        for (MatchResult fault : faults) {
            CHANGE.matcher(fault.group(5)).results().forEach((change) -> {
                String file = (change.group(1) != null) ? change.group(1) : fault.group(2);
                assertThat(ROOT.resolve(file)).content()
                    .as(fault.group(1))
                    .satisfies((code) -> assertThat(code.split(Pattern.quote(change.group(2)), -1)).hasSize(2));
            });
            String module = (fault.group(3) != null) ? fault.group(3)
                    : fault.group(2).substring(0, fault.group(2).indexOf("/src/"));
            assertThat(testsOf(module, fault.group(4))).as(fault.group(1))
                .singleElement()
                .satisfies((test) -> assertThat(test).content().doesNotContainPattern("(?m)^@Tag\\(\"nightly\"\\)"));
        }
    }

    private static List<Path> testsOf(String module, String name) throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/test/java"))) {
            return files.filter((file) -> file.endsWith(name + ".java")).toList();
        }
    }

}
