package photos;

import org.junit.jupiter.api.BeforeAll;

import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest(properties = { "shardedid.worker.lease.url=" + EveryKeyWithAPreferredWorkerTest.URL, "shardedid.worker.prefer=3" })
class EveryKeyWithAPreferredWorkerTest extends EveryKey {

    static final String URL = "jdbc:h2:mem:preferred;DB_CLOSE_DELAY=-1";

    @BeforeAll
    static void runTheOneBefore() {
        runTheOneBefore(URL);
    }

}
