package io.shardedid.pages;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each Java block of the pages in docs compiles as it is pasted: as a file, or as
 * statements in a method whose class has the entities, the repositories and the variables
 * that the page names. So no block lacks an import. A comment before a block may name the
 * file that the block shows, for example where a module is not on the class path of this
 * test: {@code <!-- sharding/routing/src/test/java/Feed.java -->}. The file then contains
 * the block, with or without its imports.
 */
@Tag("jdk")
class SnippetsTest {

    private static final Pattern BLOCK = Pattern.compile("(?m)(^[^\\n]*)\\n```java\\n((?s:.*?))^```");

    private static final Pattern FILE = Pattern.compile("<!-- (\\S+\\.java) -->");

    /** What an application has that follows the pages. */
    private static final Map<String, String> TYPES = Map.of("User", """
            class User {
                Long id;
            }
            """, "Photo", """
            class Photo {
                Long id;
                Long userId;
                User author;
                Photo() {
                }
                Photo(User author, String caption) {
                }
                Long getId() {
                    return id;
                }
            }
            """, "Users", """
            interface Users extends org.springframework.data.jpa.repository.JpaRepository<User, Long> {
            }
            """, "Photos", """
            interface Photos extends org.springframework.data.jpa.repository.JpaRepository<Photo, Long>,
                    org.springframework.data.jpa.repository.JpaSpecificationExecutor<Photo> {
                java.util.List<Photo> findByIdBetween(long firstId, long lastId);
                java.util.List<Photo> findAllByOrderByIdDesc();
            }
            """);

    private static final String STATEMENTS = """
            %s
            class Snippet {
                io.shardedid.ShardedIds ids;
                jakarta.persistence.EntityManager entityManager;
                jakarta.persistence.Query query;
                org.hibernate.Session session;
                java.util.Map<String, byte[]> store;
                byte[] image;
                java.time.Instant start;
                java.time.Instant end;
                Long userId;
                Photo photo;
                User author;
                Photos photos;
                void paste() throws Exception {
            %s
                }
            }
            """;

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    /** One for all blocks, because it opens each jar of the class path once. */
    private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);

    @TempDir
    private static Path classes;

    @AfterAll
    static void closeFiles() throws IOException {
        FILES.close();
    }

    static List<Snippet> snippets() throws IOException {
        List<Snippet> snippets = new ArrayList<>();
        for (Path page : Pages.current()) {
            if (!page.equals(Pages.ROOT.resolve("README.md"))) {
                BLOCK.matcher(Pages.text(page))
                    .results()
                    .forEach((block) -> snippets
                        .add(new Snippet(page.getFileName().toString(), block.group(1), block.group(2))));
            }
        }
        return snippets;
    }

    @ParameterizedTest
    @MethodSource("snippets")
    void compilesAsPasted(Snippet snippet) throws IOException {
        Matcher file = FILE.matcher(snippet.before);
        if (file.matches()) {
            assertThat(words(Pages.text(file.group(1)))).contains(words(lines(snippet.code, false)));
        }
        else {
            assertThat(complaint(snippet.code)).isEmpty();
        }
    }

    @Test
    void findsTheBlocksOfThePages() throws IOException {
        assertThat(snippets()).hasSizeGreaterThan(20);
    }

    /** What the compiler says of a block; empty if it compiles in one of the two ways. */
    private static String complaint(String code) {
        String asFile = complaint("Pasted", code, code);
        if (asFile.isEmpty()) {
            return "";
        }
        String asStatements = complaint("Snippet", STATEMENTS.formatted(lines(code, true), lines(code, false)), "");
        return asStatements.isEmpty() ? "" : "as a file:\n" + asFile + "\nas statements:\n" + asStatements;
    }

    private static String complaint(String name, String source, String code) {
        List<JavaFileObject> sources = new ArrayList<>(List.of(new Source(name, source),
                new Source("com/example/photos/Photo", "package com.example.photos;\npublic class Photo {\n}\n"),
                new Source("com/example/users/User", "package com.example.users;\npublic class User {\n}\n")));
        TYPES.forEach((type, declaration) -> {
            if (!Pattern.compile("(?m)^(?:public )?(?:class|interface) " + type + "\\b").matcher(code).find()) {
                sources.add(new Source(type, declaration));
            }
        });
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        COMPILER
            .getTask(null, FILES, found,
                    List.of("-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path")), null,
                    sources)
            .call();
        return found.getDiagnostics()
            .stream()
            .filter((each) -> each.getKind() == Diagnostic.Kind.ERROR)
            .map(Object::toString)
            .collect(Collectors.joining("\n"));
    }

    private static String words(String text) {
        return text.strip().replaceAll("\\s+", " ");
    }

    private static String lines(String code, boolean imports) {
        return code.lines().filter((line) -> line.startsWith("import ") == imports).collect(Collectors.joining("\n"));
    }

    record Snippet(String page, String before, String code) {
    }

    /** A source in memory. Its types are not public, so its name is free. */
    private static final class Source extends SimpleJavaFileObject {

        private final String text;

        Source(String name, String text) {
            super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return this.text;
        }

        @Override
        public boolean isNameCompatible(String simpleName, Kind kind) {
            return true;
        }

    }

}
