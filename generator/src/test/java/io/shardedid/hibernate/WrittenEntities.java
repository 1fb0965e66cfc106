package io.shardedid.hibernate;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.JavaFileObject.Kind;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import org.junit.jupiter.params.provider.Arguments;

import static org.assertj.core.api.Assertions.assertThat;

/** Entities that stand as text in a table of cases, compiled in memory. */
final class WrittenEntities extends ClassLoader {

    private static final String HEAD = """
            package written;
            import io.shardedid.ShardedId;
            import jakarta.persistence.*;
            import java.io.Serializable;
            import java.math.BigInteger;
            import java.util.*;
            import org.hibernate.annotations.Formula;
            """;

    private final Map<String, byte[]> classes = new TreeMap<>();

    private WrittenEntities(String source) {
        super(WrittenEntities.class.getClassLoader());
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavaFileObject file = new SimpleJavaFileObject(URI.create("memory:///Written.java"), Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return HEAD + source;
            }
        };
        StringWriter said = new StringWriter();
        assertThat(compiler.getTask(said, memory(compiler), null, List.of("-proc:none", "-nowarn"), null, List.of(file))
            .call()).as(said.toString()).isTrue();
    }

    /**
     * Compiles the entities of all cases. A case ends with an empty line: its name, its
     * entities, and what is expected after an arrow.
     */
    static WrittenEntities ofCases(String shared, String... tables) {
        return new WrittenEntities(
                shared + String.join("\n", tables).replaceAll("(?m)^(?!@|record|class|enum| |}).*$", ""));
    }

    /** Returns name, entities and expectation of each case. */
    static Stream<Arguments> cases(String table) {
        return Stream.of(table.split("\n\n")).map((each) -> {
            int expected = each.indexOf("\n-> ");
            return Arguments.of(each.substring(0, each.indexOf('\n')), each.substring(each.indexOf('\n'), expected),
                    each.substring(expected + 4).strip());
        });
    }

    private JavaFileManager memory(JavaCompiler compiler) {
        return new ForwardingJavaFileManager<>(compiler.getStandardFileManager(null, null, null)) {
            @Override
            public JavaFileObject getJavaFileForOutput(Location location, String name, Kind kind, FileObject sibling) {
                return new SimpleJavaFileObject(URI.create("memory:///" + name), kind) {
                    @Override
                    public OutputStream openOutputStream() {
                        return new ByteArrayOutputStream() {
                            @Override
                            public void close() {
                                WrittenEntities.this.classes.put(name, toByteArray());
                            }
                        };
                    }
                };
            }
        };
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] bytes = this.classes.get(name);
        if (bytes == null) {
            throw new ClassNotFoundException(name);
        }
        return defineClass(name, bytes, 0, bytes.length);
    }

    /** Returns the entities, and the converters, that a text declares or names. */
    Class<?>[] of(String text) {
        return this.classes.keySet()
            .stream()
            .filter((name) -> Pattern.compile("\\b" + name.replace("written.", "") + "\\b").matcher(text).find())
            .map(this::written)
            .filter((type) -> type.isAnnotationPresent(Entity.class) || type.isAnnotationPresent(Converter.class))
            .toArray(Class<?>[]::new);
    }

    private Class<?> written(String name) {
        try {
            return loadClass(name);
        }
        catch (ClassNotFoundException ex) {
            throw new AssertionError(ex);
        }
    }

}
