package io.shardedid.api;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

import japicmp.cmp.JApiCmpArchive;
import japicmp.cmp.JarArchiveComparator;
import japicmp.cmp.JarArchiveComparatorOptions;
import japicmp.filter.BehaviorFilter;
import japicmp.filter.ClassFilter;
import japicmp.model.JApiBehavior;
import japicmp.model.JApiClass;
import japicmp.model.JApiCompatibility;
import japicmp.model.JApiField;
import javassist.CtBehavior;
import javassist.bytecode.Descriptor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the public types of each published jar with the recorded ones. What
 * UPGRADING.md lists as no API is left out.
 */
@Tag("proof")
class PublicApiIT {

    private static final Path RECORDS = Path.of("src/test/api");

    private static final Path PROJECT = Path.of("../..");

    private static final String REMEDY = "this change breaks code that was compiled against the record; take it back,"
            + " or describe it in UPGRADING.md and record the types anew (docs/releasing.md)";

    /** In the Javadoc of a type, which is not indented. */
    private static final Pattern OF_TYPE = Pattern.compile("(?m)^ \\* .*\\bno API\\b");

    @Test
    void codeThatWasCompiledAgainstTheRecordGoesOnWorking() throws IOException {
        for (Path module : PublicApi.published(PROJECT)) {
            assertThat(broken(recorded(PublicApi.artifact(module)), Files.readAllBytes(jar(module))))
                .as(PublicApi.artifact(module) + ": " + REMEDY)
                .isEmpty();
        }
    }

    @Test
    void aRemovedMethodIsFound() throws IOException {
        assertThat(broken(recorded("shardedid-generator"),
                without("io/shardedid/IdLayout", "fingerprint", recorded("shardedid-generator"))))
            .containsExactly("io.shardedid.IdLayout.fingerprint: METHOD_REMOVED");
    }

    @Test
    void aRemovedMethodOfWhatIsNoApiIsNotFound() throws IOException {
        assertThat(broken(recorded("shardedid-generator"),
                without("io/shardedid/worker/KeeperErrands", "look", recorded("shardedid-generator"))))
            .isEmpty();
    }

    @Test
    void theRecordHoldsNoCode() throws IOException {
        assertThat(recorded("shardedid-generator").length)
            .isLessThan((int) Files.size(jar(PROJECT.resolve("generator"))) / 2);
    }

    @Test
    void whatIsListedAsNoApiExists() throws IOException {
        NoApi noApi = NoApi.read();
        Set<String> types = new TreeSet<>();
        for (Path module : PublicApi.published(PROJECT)) {
            try (ZipInputStream in = new ZipInputStream(Files.newInputStream(jar(module)))) {
                for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                    types.add(entry.getName().replace(".class", "").replace('/', '.'));
                }
            }
        }
        assertThat(noApi.types()).hasSizeGreaterThan(15).isSubsetOf(types);
        assertThat(noApi.methods()).contains("io.shardedid.worker.WorkerLeases#none/2");
        assertThat(noApi.leavesOut("io.shardedid.spring.ShardedIdAutoConfiguration")).isTrue();
        assertThat(noApi.leavesOut("io.shardedid.worker.WorkerLeases")).isFalse();
    }

    @Test
    void whatJavadocCallsNoApiIsListed() throws IOException {
        NoApi noApi = NoApi.read();
        List<String> called = new ArrayList<>();
        for (Path module : PublicApi.published(PROJECT)) {
            Path sources = module.resolve("src/main/java");
            try (Stream<Path> files = Files.walk(sources)) {
                for (Path file : files.filter((file) -> file.toString().endsWith(".java")).toList()) {
                    if (OF_TYPE.matcher(Files.readString(file)).find()) {
                        called.add(sources.relativize(file).toString().replace(".java", "").replace('/', '.'));
                    }
                }
            }
        }
        assertThat(called).hasSizeGreaterThan(20);
        assertThat(called).filteredOn((type) -> !noApi.leavesOut(type))
            .as("UPGRADING.md lists as no API what Javadoc calls so")
            .isEmpty();
    }

    private static Path jar(Path module) throws IOException {
        return PublicApi.jar(module, System.getProperty("api.build"), System.getProperty("api.version"));
    }

    private static byte[] recorded(String artifact) throws IOException {
        return Files.readAllBytes(RECORDS.resolve(artifact + ".jar"));
    }

    private static List<String> broken(byte[] before, byte[] now) throws IOException {
        NoApi noApi = NoApi.read();
        JarArchiveComparatorOptions options = new JarArchiveComparatorOptions();
        options.getIgnoreMissingClasses().setIgnoreAllMissingClasses(true);
        options.getFilters().getExcludes().add((ClassFilter) (type) -> noApi.leavesOut(type.getName()));
        options.getFilters().getExcludes().add((BehaviorFilter) (method) -> noApi.leavesOut(method));
        List<String> broken = new ArrayList<>();
        for (JApiClass type : new JarArchiveComparator(options).compare(new JApiCmpArchive(before, "before", "before"),
                new JApiCmpArchive(now, "now", "now"))) {
            String name = type.getFullyQualifiedName();
            collect(name, type, broken);
            collect(name + " extends", type.getSuperclass(), broken);
            type.getInterfaces().forEach((from) -> collect(name + " implements", from, broken));
            for (JApiField field : type.getFields()) {
                collect(name + "." + field.getName(), field, broken);
            }
            Stream.<JApiBehavior>concat(type.getConstructors().stream(), type.getMethods().stream())
                .forEach((method) -> collect(name + "." + method.getName(), method, broken));
        }
        return broken;
    }

    private static void collect(String name, JApiCompatibility element, List<String> broken) {
        element.getCompatibilityChanges()
            .stream()
            .filter((change) -> !change.isBinaryCompatible() || !change.isSourceCompatible())
            .forEach((change) -> broken.add(name + ": " + change.getType()));
    }

    private static byte[] without(String type, String method, byte[] jar) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipInputStream in = new ZipInputStream(new java.io.ByteArrayInputStream(jar));
                ZipOutputStream out = new ZipOutputStream(bytes)) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                byte[] content = in.readAllBytes();
                out.putNextEntry(new ZipEntry(entry.getName()));
                out.write(entry.getName().equals(type + ".class") ? without(method, content) : content);
            }
        }
        return bytes.toByteArray();
    }

    private static byte[] without(String method, byte[] type) {
        ClassWriter writer = new ClassWriter(0);
        new ClassReader(type).accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String signature,
                    String[] exceptions) {
                return name.equals(method) ? null : super.visitMethod(access, name, descriptor, signature, exceptions);
            }
        }, 0);
        return writer.toByteArray();
    }

    /** What the last section of UPGRADING.md lists. */
    private record NoApi(Set<String> types, Set<String> methods, Set<String> ends) {

        private static final Pattern NAME = Pattern.compile("`([^`]+)`");

        private static final Pattern METHODS = Pattern.compile("methods? ((?:`\\w+`(?:,? and |, )?)+) of `([\\w.]+)`");

        private static final Pattern METHOD = Pattern.compile("`([\\w.]+)\\.([a-z]\\w*)\\(([^)]*)\\)`");

        private static final Pattern NAMES = Pattern.compile(", ");

        static NoApi read() throws IOException {
            String page = Files.readString(Path.of("../../UPGRADING.md"));
            String section = page.substring(page.indexOf("## Public for technical reasons"));
            NoApi noApi = new NoApi(new TreeSet<>(), new TreeSet<>(), new TreeSet<>());
            for (String item : section.split("\n- ")) {
                String text = item.replaceAll("\\s+", " ");
                Matcher ofType = METHODS.matcher(text);
                while (ofType.find()) {
                    String type = ofType.group(2);
                    NAME.matcher(ofType.group(1))
                        .results()
                        .forEach((method) -> noApi.methods.add(type + "#" + method.group(1)));
                }
                METHOD.matcher(text)
                    .results()
                    .forEach((method) -> noApi.methods.add(method.group(1) + "#" + method.group(2) + "/"
                            + (int) NAMES.splitAsStream(method.group(3)).filter((name) -> !name.isEmpty()).count()));
                noApi.addTypes(METHODS.matcher(text).replaceAll(""));
            }
            return noApi;
        }

        /** A name without a package is in the package of the name before it. */
        private void addTypes(String text) {
            String inPackage = "";
            for (Matcher name = NAME.matcher(text); name.find();) {
                String found = name.group(1);
                String simple = found.substring(found.lastIndexOf('.') + 1);
                if (found.startsWith("…")) {
                    this.ends.add(found.substring(1));
                }
                else if (Character.isUpperCase(simple.charAt(0))) {
                    inPackage = found.contains(".") ? found.substring(0, found.lastIndexOf('.') + 1) : inPackage;
                    this.types.add(inPackage + simple);
                }
            }
        }

        boolean leavesOut(CtBehavior method) {
            String name = method.getDeclaringClass().getName() + "#" + method.getName();
            int parameters = Descriptor.numOfParameters(method.getSignature());
            return this.methods.contains(name) || this.methods.contains(name + "/" + parameters);
        }

        boolean leavesOut(String type) {
            String outer = type.replaceFirst("\\$.*", "");
            return this.types.contains(outer) || this.ends.stream().anyMatch(outer::endsWith);
        }

    }

}
