package io.shardedid.api;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Records the public types of a jar: the same classes without code and without what
 * nobody outside of their package can call. The record is what the next version is
 * compared with.
 */
final class PublicApi {

    private static final int VISIBLE = Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED;

    private static final Pattern ARTIFACT = Pattern.compile("(?m)^  <artifactId>([^<]+)<");

    private PublicApi() {
    }

    /**
     * Records the jars of the published modules.
     * @param arguments the folder of the records, that of the project, that of the build
     * in each module, and the version
     * @throws IOException if a file cannot be read or written
     */
    public static void main(String... arguments) throws IOException {
        for (Path module : published(Path.of(arguments[1]))) {
            Path jar = jar(module, arguments[2], arguments[3]);
            Files.write(Path.of(arguments[0]).resolve(artifact(module) + ".jar"), record(jar));
        }
    }

    /** The folders of the published modules that have a jar. */
    static List<Path> published(Path project) throws IOException {
        List<Path> modules = new ArrayList<>();
        try (Stream<Path> folders = Files.list(project)) {
            for (Path module : folders.sorted().toList()) {
                Path pom = module.resolve("pom.xml");
                if (Files.exists(pom) && Files.readString(pom).contains("<maven.deploy.skip>false<")
                        && Files.isDirectory(module.resolve("src"))) {
                    modules.add(module);
                }
            }
        }
        return modules;
    }

    static Path jar(Path module, String build, String version) throws IOException {
        return module.resolve(build).resolve(artifact(module) + "-" + version + ".jar");
    }

    /** The first artifact of a pom that is not the parent. */
    static String artifact(Path module) throws IOException {
        Matcher artifact = ARTIFACT.matcher(Files.readString(module.resolve("pom.xml")));
        if (!artifact.find()) {
            throw new IOException("Module '" + module + "' names no artifact in its pom.xml");
        }
        return artifact.group(1);
    }

    /** The record of a jar. The same classes give the same bytes. */
    static byte[] record(Path jar) throws IOException {
        Map<String, ClassReader> classes = classes(jar);
        SortedMap<String, ClassReader> kept = new TreeMap<>();
        Deque<String> toKeep = new ArrayDeque<>();
        classes.values()
            .stream()
            .filter((type) -> (type.getAccess() & VISIBLE) != 0)
            .map(ClassReader::getClassName)
            .forEach(toKeep::add);
        while (!toKeep.isEmpty()) {
            String name = toKeep.remove();
            ClassReader type = classes.get(name);
            if (type != null && kept.put(name, type) == null) {
                // A public class has the public methods of a superclass that is not
                // public.
                toKeep.add(type.getSuperName());
                toKeep.addAll(List.of(type.getInterfaces()));
            }
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream out = new ZipOutputStream(bytes)) {
            for (Map.Entry<String, ClassReader> type : kept.entrySet()) {
                ZipEntry entry = new ZipEntry(type.getKey() + ".class");
                entry.setTimeLocal(LocalDateTime.of(2000, 1, 1, 0, 0));
                out.putNextEntry(entry);
                out.write(signatures(type.getValue()));
            }
        }
        return bytes.toByteArray();
    }

    private static Map<String, ClassReader> classes(Path jar) throws IOException {
        Map<String, ClassReader> classes = new TreeMap<>();
        try (InputStream file = Files.newInputStream(jar); ZipInputStream in = new ZipInputStream(file)) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                if (entry.getName().endsWith(".class")) {
                    ClassReader type = new ClassReader(in.readAllBytes());
                    classes.put(type.getClassName(), type);
                }
            }
        }
        return classes;
    }

    private static byte[] signatures(ClassReader type) {
        ClassWriter writer = new ClassWriter(0);
        type.accept(new Signatures(writer), ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return writer.toByteArray();
    }

    private static final class Signatures extends ClassVisitor {

        private Signatures(ClassWriter writer) {
            super(Opcodes.ASM9, writer);
        }

        @Override
        public @Nullable FieldVisitor visitField(int access, String name, String descriptor, @Nullable String signature,
                @Nullable Object value) {
            return visible(access) ? super.visitField(access, name, descriptor, signature, value) : null;
        }

        /** Constructors stay: whether a class can be extended follows from them. */
        @Override
        public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor,
                @Nullable String signature, String @Nullable [] exceptions) {
            return (visible(access) || name.equals("<init>"))
                    ? super.visitMethod(access, name, descriptor, signature, exceptions) : null;
        }

        private static boolean visible(int access) {
            return (access & VISIBLE) != 0 && (access & Opcodes.ACC_SYNTHETIC) == 0;
        }

    }

}
