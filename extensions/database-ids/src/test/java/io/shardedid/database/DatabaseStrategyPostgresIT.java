package io.shardedid.database;

import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;

@Tag("proof")
class DatabaseStrategyPostgresIT extends DatabaseStrategyContract {

    @Override
    TestServer server() {
        return TestServer.POSTGRESQL;
    }

    @Override
    String countOfFunctionsAndTriggers() {
        return "SELECT (SELECT count(*) FROM pg_proc WHERE proname LIKE 'shardedid%') "
                + "+ (SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'shardedid%')";
    }

}
