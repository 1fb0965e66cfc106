package io.shardedid.release;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What only the owner knows is refused as long as it is missing: a bundle with the
 * defaults of the pom is a rehearsal.
 */
@Tag("release")
class OwnerIT {

    private static final String SNAPSHOT = "Maven Central takes no snapshot: version=1.0-SNAPSHOT";

    @TempDir
    Path folder;

    @Test
    void aReleaseWithTheDefaultsOfThePomIsRefused() throws IOException, InterruptedException {
        assertThat(validate("1.0-SNAPSHOT", "The owner of ShardedId", "nobody@shardedid.invalid",
                "https://shardedid.invalid"))
            .contains("BUILD FAILURE", SNAPSHOT, "owner.name=The owner of ShardedId",
                    "owner.email=nobody@shardedid.invalid", "owner.url=https://shardedid.invalid",
                    "owner.repository=https://shardedid.invalid/repository",
                    "docs.url=https://shardedid.invalid/repository/blob/v1.0-SNAPSHOT");
    }

    /** Nobody reads a report of a vulnerability there. */
    @ParameterizedTest
    @ValueSource(strings = { "security@shardedid.example", "security@mail.shardedid.invalid", "security", "" })
    void aReleaseWithoutAnAddressForReportsIsRefused(String email) throws IOException, InterruptedException {
        assertThat(validate("1.0", "A. Person", email, "https://example.org"))
            .contains("BUILD FAILURE", "takes reports of vulnerabilities")
            .doesNotContain("The page of the project is missing");
        assertThat(Files.readString(Path.of("../../SECURITY.md"))).contains("`owner.email`");
    }

    @Test
    void whatTheOwnerSetsIsAccepted() throws IOException, InterruptedException {
        assertThat(validate("1.0", "A. Person", "a@example.org", "https://example.org")).contains("BUILD SUCCESS");
    }

    /**
     * Runs the first phase of a release of this project, and returns what Maven prints.
     */
    private String validate(String version, String name, String email, String url)
            throws IOException, InterruptedException {
        Path pom = this.folder.resolve("pom.xml");
        Files.writeString(pom,
                Files.readString(Path.of("../../pom.xml")).replaceFirst("<version>[^<]+", "<version>" + version));
        List<String> command = new ArrayList<>(List.of("mvn", "-B", "-ntp", "-N", "-Prelease,central", "validate"));
        command.addAll(List.of("-Downer.name=" + name, "-Downer.email=" + email, "-Downer.url=" + url,
                "-Downer.repository=" + url + "/repository"));
        Process maven = new ProcessBuilder(command).directory(this.folder.toFile()).redirectErrorStream(true).start();
        String printed = new String(maven.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        maven.waitFor();
        return printed;
    }

}
