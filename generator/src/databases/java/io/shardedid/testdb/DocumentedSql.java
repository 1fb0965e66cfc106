package io.shardedid.testdb;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The statements of a page, each behind a comment with the databases and its title. */
public record DocumentedSql(String page) {

    /** The page at a path beside the folder of the module. */
    public static DocumentedSql of(String... path) {
        try {
            return new DocumentedSql(Files.readString(Path.of("..", path)));
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    public String statement(TestServer server, String title) {
        String name = switch (server) {
            case H2 -> "H2";
            case POSTGRESQL -> "PostgreSQL";
            case MARIADB -> "MariaDB";
            case MYSQL -> "MySQL";
        };
        Matcher block = Pattern
            .compile("```sql\n-- (?:[^\n]*\\b" + name + "\\b[^\n]*|all databases): " + Pattern.quote(title)
                    + "\n(.*?);\n```", Pattern.DOTALL)
            .matcher(this.page);
        if (!block.find()) {
            throw new IllegalStateException("No statement: title=%s, server=%s".formatted(title, name));
        }
        return block.group(1);
    }

}
