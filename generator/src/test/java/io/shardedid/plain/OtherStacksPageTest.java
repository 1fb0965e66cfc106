package io.shardedid.plain;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.shardedid.IdLayout;
import io.shardedid.LoggedLines;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications without Spring are written as {@code docs/other-stacks.md} shows, and this
 * package contains the code of the page.
 */
class OtherStacksPageTest {

    private static final Pattern BLOCK = Pattern.compile("```(?:java|xml)\n(.*?)```", Pattern.DOTALL);

    @Test
    void pageShowsTheseFiles() throws IOException {
        List<String> blocks = blocks();
        String unit = Files.readString(Path.of("src/test/resources/META-INF/persistence.xml"));

        assertThat(blocks).hasSize(5);
        assertThat(words(unit)).contains(words(element("persistence-unit", blocks.get(1))));
        assertThat(words(Files.readString(source("Photo")))).contains(words(code(blocks.get(2))));
        assertThat(words(Files.readString(source("Photos")))).contains(words(code(blocks.get(3))));
        assertThat(words(Files.readString(source("Orders")))).contains(words(code(blocks.get(4))));
    }

    @Test
    void pageNamesTheArtifact() throws IOException {
        String pom = Files.readString(Path.of("pom.xml"));

        assertThat(pom).contains(element("artifactId", blocks().get(0)), element("version", blocks().get(0)));
    }

    private static String element(String name, String xml) {
        int end = xml.indexOf("</" + name + ">") + name.length() + 3;
        return xml.substring(xml.indexOf("<" + name), end);
    }

    private static String code(String block) {
        return block.lines().filter((line) -> !line.startsWith("import ")).collect(Collectors.joining("\n"));
    }

    private static Path source(String type) {
        return Path.of("src/test/java/io/shardedid/plain", type + ".java");
    }

    private static List<String> blocks() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "other-stacks.md"));
        return BLOCK.matcher(page.substring(page.indexOf("## Plain Hibernate"), page.indexOf("## Quarkus")))
            .results()
            .map((MatchResult block) -> block.group(1))
            .toList();
    }

    private static String words(String text) {
        return text.strip().replaceAll("\\s+", " ");
    }

    @Test
    void persistenceUnitLeasesAWorkerAndLogsIt() {
        try (LoggedLines log = new LoggedLines("io.shardedid"); Photos photos = new Photos()) {
            assertThat(IdLayout.standard().shardOf(photos.save(2_007L).id)).isEqualTo(photos.shardOf(2_007L));
            assertThat(log.lines()).anySatisfy((line) -> assertThat(line).contains("Worker id"));
        }
    }

    @Test
    void dataSourceIsEnoughForAnEngine() {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:orders;DB_CLOSE_DELAY=-1");

        assertThat(IdLayout.standard().shardOf(Orders.firstId(dataSource, 2_007L))).isEqualTo(7);
    }

}
