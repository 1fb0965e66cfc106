package io.shardedid.routing;

import io.shardedid.testdb.MySqlServer;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.tools.Needs;
import io.shardedid.tools.Tool;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The router on two servers of MySQL. */
@Tag("proof")
@Tag("nightly")
@Needs(Tool.MYSQL)
class TwoMySqlServersIT extends TwoNamesContract {

    private static MySqlServer west;

    private static MySqlServer east;

    @DynamicPropertySource
    static void databases(DynamicPropertyRegistry properties) {
        west = new MySqlServer();
        east = new MySqlServer();
        west.database("").execute("create database west");
        east.database("").execute("create database east");
        add("west", west.database("west"), properties);
        add("east", east.database("east"), properties);
    }

    @AfterAll
    static void stop() {
        west.close();
        east.close();
    }

    @Override
    TestDatabase west() {
        return west.database("west");
    }

    @Override
    TestDatabase east() {
        return east.database("east");
    }

}
