package io.shardedid.move;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.shardedid.testdb.PostgresMajor;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Two servers for all tests of a class, in a folder that goes with them. */
final class TwoServers implements BeforeAllCallback, AfterAllCallback, AutoCloseable {

    MovingServer a;

    MovingServer b;

    /** Null unless a test starts it. */
    MovingServer c;

    private Path folder;

    static TwoServers started(PostgresMajor major) throws IOException {
        return started(major, major);
    }

    static TwoServers started(PostgresMajor a, PostgresMajor b) throws IOException {
        TwoServers servers = new TwoServers();
        servers.start(a, b);
        return servers;
    }

    /** Starts a third server, too. */
    static TwoServers startedThree(PostgresMajor major) throws IOException {
        TwoServers servers = started(major);
        servers.c = new MovingServer(servers.folder.resolve("c"), major);
        return servers;
    }

    private void start(PostgresMajor a, PostgresMajor b) throws IOException {
        this.folder = Files.createTempDirectory("closed-copy");
        this.a = new MovingServer(this.folder.resolve("a"), a);
        this.b = new MovingServer(this.folder.resolve("b"), b);
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        start(PostgresMajor.V18, PostgresMajor.V18);
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        close();
    }

    @Override
    public void close() throws IOException {
        this.a.close();
        this.b.close();
        if (this.c != null) {
            this.c.close();
        }
        MovingServer.delete(this.folder);
    }

}
