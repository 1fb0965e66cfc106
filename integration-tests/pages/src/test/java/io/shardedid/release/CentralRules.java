package io.shardedid.release;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

import org.bouncycastle.openpgp.PGPException;
import org.bouncycastle.openpgp.PGPPublicKey;
import org.bouncycastle.openpgp.PGPPublicKeyRingCollection;
import org.bouncycastle.openpgp.PGPSignature;
import org.bouncycastle.openpgp.PGPSignatureList;
import org.bouncycastle.openpgp.PGPUtil;
import org.bouncycastle.openpgp.bc.BcPGPObjectFactory;
import org.bouncycastle.openpgp.operator.bc.BcPGPContentVerifierBuilderProvider;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * What Maven Central demands of each component of a bundle:
 * <a href="https://central.sonatype.org/publish/requirements/">the requirements</a> and
 * <a href="https://central.sonatype.org/publish/publish-portal-upload/">the layout of a
 * bundle</a>. An SBOM is this project's own rule, and so is a pom without a parent: the
 * parent is not published.
 */
final class CentralRules {

    /** What each pom says, besides the coordinates that its folder names. */
    static final List<String> ELEMENTS = List.of("modelVersion", "name", "description", "url", "licenses/license/name",
            "licenses/license/url", "developers/developer/name", "developers/developer/email", "scm/connection",
            "scm/developerConnection", "scm/url");

    static final List<String> COORDINATES = List.of("groupId", "artifactId", "version");

    private final PGPPublicKeyRingCollection keys;

    /** Accepts signatures by these keys. */
    CentralRules(PGPPublicKeyRingCollection keys) {
        this.keys = keys;
    }

    /** Returns the rules that a component breaks, as texts. */
    List<String> violations(Component component) throws IOException {
        List<String> found = new ArrayList<>();
        byte[] pom = component.files().get(component.file(".pom"));
        if (pom == null) {
            return List.of(component.file(".pom") + " is missing");
        }
        Element project = project(pom);
        for (String coordinate : COORDINATES) {
            if (!text(project, coordinate).equals(component.coordinates().get(coordinate))) {
                found.add("element '" + coordinate + "' differs from the folder");
            }
        }
        for (String element : ELEMENTS) {
            if (text(project, element).isBlank()) {
                found.add("element '" + element + "' is missing");
            }
        }
        if (child(project, "parent") != null) {
            found.add("element 'parent' names a pom that is not published");
        }
        List<String> required = text(project, "packaging").equals("pom") ? List.of("-cyclonedx.json")
                : List.of(".jar", "-sources.jar", "-javadoc.jar", "-cyclonedx.json");
        required.stream()
            .map(component::file)
            .filter((file) -> !component.files().containsKey(file))
            .forEach((file) -> found.add(file + " is missing"));
        for (String file : component.files().keySet()) {
            String of = file.replaceFirst("\\.(asc|md5|sha1)$", "");
            if (!component.files().containsKey(of)) {
                found.add(file + " belongs to no file");
            }
            else if (of.equals(file)) {
                checkCompanions(component.files(), file, found);
            }
        }
        return found;
    }

    private void checkCompanions(Map<String, byte[]> files, String file, List<String> found) throws IOException {
        byte[] bytes = files.get(file);
        Map.of(".md5", "MD5", ".sha1", "SHA-1").forEach((suffix, algorithm) -> {
            byte[] checksum = files.get(file + suffix);
            if (checksum == null) {
                found.add(file + suffix + " is missing");
            }
            else if (!new String(checksum, StandardCharsets.US_ASCII).strip().equals(digest(algorithm, bytes))) {
                found.add(file + suffix + " is not the checksum of the file");
            }
        });
        byte[] signature = files.get(file + ".asc");
        if (signature == null) {
            found.add(file + ".asc is missing");
        }
        else if (!signed(bytes, signature)) {
            found.add(file + ".asc is not the signature of the file");
        }
    }

    private boolean signed(byte[] bytes, byte[] armored) throws IOException {
        try (InputStream in = PGPUtil.getDecoderStream(new ByteArrayInputStream(armored))) {
            PGPSignature signature = ((PGPSignatureList) new BcPGPObjectFactory(in).nextObject()).get(0);
            PGPPublicKey key = this.keys.getPublicKey(signature.getKeyID());
            if (key == null) {
                return false;
            }
            signature.init(new BcPGPContentVerifierBuilderProvider(), key);
            signature.update(bytes);
            return signature.verify();
        }
        catch (PGPException ex) {
            return false;
        }
    }

    private static String digest(String algorithm, byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(bytes));
        }
        catch (GeneralSecurityException ex) {
            throw new IllegalStateException(ex);
        }
    }

    static Element project(byte[] pom) throws IOException {
        try {
            return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(pom))
                .getDocumentElement();
        }
        catch (ParserConfigurationException | SAXException ex) {
            throw new IOException(ex);
        }
    }

    /** The text of the first element with a path; empty if there is none. */
    static String text(Element project, String path) {
        Element element = element(project, path);
        return (element != null) ? element.getTextContent().strip() : "";
    }

    static Element element(Element from, String path) {
        Element element = from;
        for (String name : path.split("/")) {
            element = (element != null) ? child(element, name) : null;
        }
        return element;
    }

    static List<Element> children(Element parent) {
        List<Element> children = new ArrayList<>();
        for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element) {
                children.add(element);
            }
        }
        return children;
    }

    private static Element child(Element parent, String name) {
        return children(parent).stream().filter((child) -> child.getNodeName().equals(name)).findFirst().orElse(null);
    }

    /** What one folder 'group/artifact/version' of a bundle holds: bytes by file name. */
    record Component(String group, String artifact, String version, SortedMap<String, byte[]> files) {

        String file(String end) {
            return this.artifact + "-" + this.version + end;
        }

        Map<String, String> coordinates() {
            return Map.of("groupId", this.group, "artifactId", this.artifact, "version", this.version);
        }

        Component with(SortedMap<String, byte[]> others) {
            return new Component(this.group, this.artifact, this.version, others);
        }

    }

}
