package io.shardedid.compatibility;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * A folder of reports as surefire and failsafe write them.
 */
final class TestReports {

    private final Path folder;

    private final SortedSet<String> classPath = new TreeSet<>();

    private final SortedMap<Row, Outcome> outcomes = new TreeMap<>();

    private TestReports(Path folder) {
        this.folder = folder;
    }

    /** Reads the run of a column; without a folder it has no outcomes. */
    static Run read(String column, Path folder) {
        TestReports reports = new TestReports(folder);
        reports.files().forEach(reports::read);
        return new Run(column, reports.classPath, reports.outcomes);
    }

    private List<Path> files() {
        if (!Files.isDirectory(this.folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(this.folder)) {
            return files.filter((file) -> file.getFileName().toString().matches("TEST-.*\\.xml")).sorted().toList();
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private void read(Path file) {
        Element suite = parse(file);
        for (Element test : elements(suite, "testcase")) {
            if (Row.isAbout(test.getAttribute("classname"))) {
                this.outcomes.merge(Row.of(test.getAttribute("classname"), test.getAttribute("name")), outcome(test),
                        Outcome::and);
                readClassPath(suite);
            }
        }
    }

    private void readClassPath(Element suite) {
        for (Element property : elements(suite, "property")) {
            if (property.getAttribute("name").equals("surefire.test.class.path")) {
                for (String entry : property.getAttribute("value").split(File.pathSeparator)) {
                    this.classPath.add(Path.of(entry).getFileName().toString());
                }
            }
        }
    }

    private static Outcome outcome(Element test) {
        if (!elements(test, "failure").isEmpty() || !elements(test, "error").isEmpty()) {
            return Outcome.RED;
        }
        return elements(test, "skipped").isEmpty() ? Outcome.PASSED : Outcome.SKIPPED;
    }

    private static List<Element> elements(Element parent, String name) {
        NodeList nodes = parent.getElementsByTagName(name);
        return IntStream.range(0, nodes.getLength()).mapToObj((i) -> (Element) nodes.item(i)).toList();
    }

    private static Element parse(Path file) {
        try {
            return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile()).getDocumentElement();
        }
        catch (IOException | SAXException | ParserConfigurationException ex) {
            throw new IllegalStateException("Could not read test report: file=" + file + "; run the tests again", ex);
        }
    }

}
