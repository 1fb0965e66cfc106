package io.shardedid.testdb;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.UUID;

import io.shardedid.tools.FreePort;
import io.shardedid.tools.Tool;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * Real database servers for tests, each started by its first use and once in a JVM; they
 * end with it.
 */
public enum TestServer {

    /** In this process. */
    H2 {

        @Override
        public TestDatabase freshDatabase() {
            TestDatabase database = new TestDatabase("jdbc:h2:mem:" + freshName(), "sa", "");
            // Not in the URL: only an administrator may say so.
            database.execute("SET DB_CLOSE_DELAY -1");
            return database;
        }

    },

    /** PostgreSQL 18, 300 connections. Starts in 4 s the first time, then in 1 s. */
    POSTGRESQL {

        @Override
        public TestDatabase freshDatabase() {
            String name = freshName();
            administrator("postgres").execute("CREATE DATABASE " + name);
            return administrator(name);
        }

        private TestDatabase administrator(String database) {
            return new TestDatabase("jdbc:postgresql://127.0.0.1:%s/%s".formatted(Postgres.SERVER.getPort(), database),
                    "postgres", "");
        }

    },

    /** MariaDB 11.4, 151 connections. Starts in 5 s. */
    MARIADB {

        @Override
        public TestDatabase freshDatabase() {
            String name = freshName();
            Maria.SERVER.database("mysql").execute("CREATE DATABASE " + name);
            return Maria.SERVER.database(name);
        }

    },

    /** MySQL, where {@link Tool#MYSQL} is found. Starts in 10 s. */
    MYSQL {

        @Override
        public TestDatabase freshDatabase() {
            String name = freshName();
            MySql.SERVER.database("").execute("CREATE DATABASE " + name);
            return MySql.SERVER.database(name);
        }

    };

    /** Whether there is one: MySQL where its tool is found, the others always. */
    public boolean isThere() {
        return this != MYSQL || Tool.MYSQL.isFound();
    }

    /** Makes an empty database that no other test sees. */
    public abstract TestDatabase freshDatabase();

    private static String freshName() {
        return "t" + UUID.randomUUID().toString().replace("-", "");
    }

    private static final class Postgres {

        static final EmbeddedPostgres SERVER = start();

        private static EmbeddedPostgres start() {
            try {
                return EmbeddedPostgres.builder().setPort(FreePort.find()).setPGStartupWait(Duration.ofSeconds(90)).start();
            }
            catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
        }

    }

    private static final class Maria {

        static final MariaDbServer SERVER = new MariaDbServer();

    }

    private static final class MySql {

        static final MySqlServer SERVER = new MySqlServer();

    }

}
