package io.shardedid.release;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

import javax.xml.transform.TransformerException;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;

import io.shardedid.release.CentralRules.Component;
import org.bouncycastle.openpgp.PGPException;
import org.bouncycastle.openpgp.PGPPublicKeyRingCollection;
import org.bouncycastle.openpgp.PGPUtil;
import org.bouncycastle.openpgp.operator.bc.BcKeyFingerprintCalculator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks the bundle that this build made against the rules of Maven Central, and that the
 * check notices whatever is taken away.
 */
@Tag("release")
class BundleIT {

    private static final Path ROOT = Path.of("../..");

    private static final SortedMap<String, Component> BUNDLE = new TreeMap<>();

    private static CentralRules rules;

    @BeforeAll
    static void readBundle() throws IOException, PGPException {
        rules = new CentralRules(keys(Files.readAllBytes(Path.of(System.getProperty("bundle.keys")))));
        entries(Files.readAllBytes(Path.of(System.getProperty("bundle.zip")))).forEach((path, bytes) -> {
            List<String> names = List.of(path.split("/"));
            int last = names.size() - 1;
            BUNDLE
                .computeIfAbsent(names.get(last - 2),
                        (artifact) -> new Component(String.join(".", names.subList(0, last - 2)), artifact,
                                names.get(last - 1), new TreeMap<>()))
                .files()
                .put(names.get(last), bytes);
        });
    }

    @Test
    void bundleKeepsTheRulesOfCentral() {
        assertThat(BUNDLE.values())
            .allSatisfy((component) -> assertThat(rules.violations(component)).as(component.artifact()).isEmpty());
    }

    @Test
    void bundleHoldsThePublishedModules() throws IOException {
        List<String> published = new ArrayList<>();
        List<String> withSources = new ArrayList<>();
        try (Stream<Path> files = Files.walk(ROOT, 3)) {
            for (Path pom : files.filter((file) -> file.endsWith("pom.xml")).toList()) {
                Element project = CentralRules.project(Files.readAllBytes(pom));
                if (CentralRules.text(project, "properties/maven.deploy.skip").equals("false")) {
                    published.add(CentralRules.text(project, "artifactId"));
                }
                String text = Files.readString(pom);
                if (text.contains("<module.name>") && !text.contains("<maven.source.skip>")
                        && !CentralRules.text(project, "packaging").equals("pom")) {
                    withSources.add(CentralRules.text(project, "artifactId"));
                }
            }
        }
        assertThat(published).contains("shardedid-bom")
            .as("a module with a jar of sources is published: maven.deploy.skip=false")
            .containsAll(withSources);
        assertThat(BUNDLE.keySet()).containsExactlyInAnyOrderElementsOf(published);
    }

    @Test
    void eachFileThatIsMissingIsRefused() throws IOException {
        for (Component component : BUNDLE.values()) {
            for (String file : component.files().keySet()) {
                SortedMap<String, byte[]> others = new TreeMap<>(component.files());
                others.remove(file);
                assertThat(rules.violations(component.with(others))).as(file).isNotEmpty();
            }
        }
    }

    @Test
    void eachFileThatIsChangedIsRefused() throws IOException {
        Component component = BUNDLE.get("shardedid-generator");
        for (String file : component.files().keySet()) {
            SortedMap<String, byte[]> others = new TreeMap<>(component.files());
            others.put(file, changed(component, file));
            assertThat(rules.violations(component.with(others))).as(file)
                .contains(file.matches(".*\\.(md5|sha1)") ? file + " is not the checksum of the file"
                        : file.replaceFirst("\\.asc$", "") + ".asc is not the signature of the file");
        }
    }

    /** A pom must still be one, and an armored signature too. */
    private static byte[] changed(Component component, String file) {
        if (file.endsWith(".asc")) {
            boolean ofPom = file.equals(component.file(".pom.asc"));
            return component.files().get(component.file(ofPom ? ".jar.asc" : ".pom.asc"));
        }
        String text = new String(component.files().get(file), StandardCharsets.ISO_8859_1);
        return (file.endsWith(".pom") ? text.replace("<name>", "<name>No ") : text.replaceFirst("[ac-eg]", "b"))
            .getBytes(StandardCharsets.ISO_8859_1);
    }

    @Test
    void aSignatureByAnUnknownKeyIsRefused() throws IOException {
        CentralRules strangers = new CentralRules(new PGPPublicKeyRingCollection(List.of()));
        Component bom = BUNDLE.get("shardedid-bom");
        assertThat(strangers.violations(bom)).contains(bom.file(".pom.asc") + " is not the signature of the file");
    }

    @Test
    void eachElementThatIsMissingIsRefused() throws IOException, TransformerException {
        for (Component component : BUNDLE.values()) {
            for (String path : CentralRules.ELEMENTS) {
                assertThat(rules.violations(without(component, path))).as(path)
                    .contains("element '" + path + "' is missing");
            }
            for (String path : CentralRules.COORDINATES) {
                assertThat(rules.violations(without(component, path))).as(path)
                    .contains("element '" + path + "' differs from the folder");
            }
        }
    }

    private static Component without(Component component, String path) throws IOException, TransformerException {
        Element project = CentralRules.project(component.files().get(component.file(".pom")));
        Element element = CentralRules.element(project, path);
        element.getParentNode().removeChild(element);
        ByteArrayOutputStream pom = new ByteArrayOutputStream();
        TransformerFactory.newInstance().newTransformer().transform(new DOMSource(project), new StreamResult(pom));
        SortedMap<String, byte[]> files = new TreeMap<>(component.files());
        files.put(component.file(".pom"), pom.toByteArray());
        return component.with(files);
    }

    @Test
    void eachPomPullsAtRunTimeWhatIsListedHere() throws IOException {
        assertThat(pulled("shardedid-generator")).isEmpty();
        assertThat(pulled("shardedid-jackson")).containsExactly("shardedid-generator");
        assertThat(pulled("shardedid-inspector")).containsExactly("shardedid-generator", "shardedid-public-ids");
        assertThat(pulled("shardedid-test")).containsExactly("shardedid-generator");
        assertThat(pulled("shardedid-spring-boot-starter")).containsExactly("shardedid-generator", "shardedid-jackson",
                "spring-boot-starter-data-jpa");
        assertThat(pulled("shardedid-shards")).containsExactly("shardedid-generator");
        assertThat(pulled("shardedid-routing")).containsExactly("shardedid-spring-boot-starter", "shardedid-shards");
        assertThat(pulled("shardedid-shard-move")).containsExactly("shardedid-generator", "shardedid-shards", "picocli",
                "postgresql");
        assertThat(pulled("shardedid-shardingsphere")).containsExactly("shardedid-generator", "shardedid-shards");
        assertThat(pulled("shardedid-database-ids")).containsExactly("shardedid-generator");
        assertThat(pulled("shardedid-public-ids")).containsExactly("shardedid-generator");
        assertThat(pulled("shardedid-zookeeper")).containsExactly("shardedid-generator", "curator-framework",
                "zookeeper", "netty-handler", "netty-transport-native-epoll", "netty-tcnative-boringssl-static");
        assertThat(pulled("shardedid-redis")).containsExactly("shardedid-generator", "lettuce-core");
        assertThat(pulled("shardedid-bom")).isEmpty();
    }

    private static List<String> pulled(String artifact) throws IOException {
        Component component = BUNDLE.get(artifact);
        Element project = CentralRules.project(component.files().get(component.file(".pom")));
        return dependencies(project, "dependencies").stream()
            .filter((dependency) -> !CentralRules.text(dependency, "optional").equals("true"))
            .filter((dependency) -> !CentralRules.text(dependency, "scope").matches("test|provided"))
            .map((dependency) -> CentralRules.text(dependency, "artifactId"))
            .toList();
    }

    private static List<Element> dependencies(Element project, String path) {
        Element dependencies = CentralRules.element(project, path);
        return (dependencies != null) ? CentralRules.children(dependencies) : List.of();
    }

    @Test
    void bomManagesTheOtherModulesAndNothingElse() throws IOException {
        Component bom = BUNDLE.get("shardedid-bom");
        Element project = CentralRules.project(bom.files().get(bom.file(".pom")));
        List<String> others = new ArrayList<>(BUNDLE.keySet());
        others.remove("shardedid-bom");
        assertThat(dependencies(project, "dependencyManagement/dependencies"))
            .extracting((dependency) -> CentralRules.text(dependency, "artifactId"))
            .containsExactlyInAnyOrderElementsOf(others);
    }

    @Test
    void jarsHoldNothingOfTheTests() throws IOException {
        for (Component component : BUNDLE.values()) {
            byte[] jar = component.files().get(component.file(".jar"));
            if (jar != null) {
                assertThat(entries(jar).keySet()).as(component.artifact())
                    .allMatch((name) -> name.startsWith("io/shardedid/") || name.startsWith("META-INF/"))
                    .noneMatch((name) -> name.matches(".*(Test|IT|Contract|Stress)(\\$.*)?\\.class"))
                    .contains("META-INF/MANIFEST.MF");
            }
        }
    }

    @Test
    void eachSbomNamesItsArtifact() {
        assertThat(BUNDLE.values()).allSatisfy((component) -> assertThat(
                new String(component.files().get(component.file("-cyclonedx.json")), StandardCharsets.UTF_8))
            .contains("\"bomFormat\" : \"CycloneDX\"",
                    "pkg:maven/" + component.group() + "/" + component.artifact() + "@" + component.version()));
    }

    private static PGPPublicKeyRingCollection keys(byte[] armored) throws IOException, PGPException {
        try (InputStream in = PGPUtil.getDecoderStream(new ByteArrayInputStream(armored))) {
            return new PGPPublicKeyRingCollection(in, new BcKeyFingerprintCalculator());
        }
    }

    private static SortedMap<String, byte[]> entries(byte[] zip) throws IOException {
        SortedMap<String, byte[]> entries = new TreeMap<>();
        try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(zip))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                if (!entry.isDirectory()) {
                    entries.put(entry.getName(), in.readAllBytes());
                }
            }
        }
        return entries;
    }

}
