package io.shardedid.plain;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.shardedid.IdLayout;
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
    void pageShowsTheImports() throws IOException {
        List<String> blocks = blocks();

        assertThat(imports(blocks.get(2))).isEqualTo(imports(Files.readString(source("Photo"))));
        assertThat(imports(blocks.get(3))).isEqualTo(imports(Files.readString(source("Photos"))));
        assertThat(imports(blocks.get(4))).isEqualTo(imports(Files.readString(source("Orders"))));
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

    private static List<String> imports(String source) {
        return source.lines().filter((line) -> line.startsWith("import ")).sorted().toList();
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
        List<String> lines = new ArrayList<>();
        Handler handler = new Lines(lines);
        Logger logger = Logger.getLogger("io.shardedid");
        logger.addHandler(handler);
        try (Photos photos = new Photos()) {
            assertThat(IdLayout.standard().shardOf(photos.save(2_007L).id)).isEqualTo(photos.shardOf(2_007L));
        }
        finally {
            logger.removeHandler(handler);
        }
        assertThat(lines).anySatisfy((line) -> assertThat(line).startsWith("Worker id"));
    }

    @Test
    void dataSourceIsEnoughForAnEngine() {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:orders;DB_CLOSE_DELAY=-1");

        assertThat(IdLayout.standard().shardOf(Orders.firstId(dataSource, 2_007L))).isEqualTo(7);
    }

    private static final class Lines extends Handler {

        private final List<String> lines;

        Lines(List<String> lines) {
            this.lines = lines;
        }

        @Override
        public void publish(LogRecord record) {
            this.lines.add(record.getMessage());
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }

    }

}
