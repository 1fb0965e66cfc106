package io.shardedid.routing;

import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;

import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The router on MariaDB. */
@Tag("proof")
@Tag("nightly")
class TwoMariaDatabasesIT extends TwoNamesContract {

    private static final TestDatabase WEST = TestServer.MARIADB.freshDatabase();

    private static final TestDatabase EAST = TestServer.MARIADB.freshDatabase();

    @DynamicPropertySource
    static void databases(DynamicPropertyRegistry properties) {
        add("west", WEST, properties);
        add("east", EAST, properties);
    }

    @Override
    TestDatabase west() {
        return WEST;
    }

    @Override
    TestDatabase east() {
        return EAST;
    }

}
