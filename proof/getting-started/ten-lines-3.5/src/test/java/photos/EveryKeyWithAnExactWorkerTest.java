package photos;

import org.junit.jupiter.api.BeforeAll;

import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest(properties = { "shardedid.worker.lease.url=" + EveryKeyWithAnExactWorkerTest.URL, "shardedid.worker.id=3" })
class EveryKeyWithAnExactWorkerTest extends EveryKey {

    static final String URL = "jdbc:h2:mem:exact;DB_CLOSE_DELAY=-1";

    @BeforeAll
    static void runTheOneBefore() {
        runTheOneBefore(URL);
    }

}
