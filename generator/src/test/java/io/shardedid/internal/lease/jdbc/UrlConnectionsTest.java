package io.shardedid.internal.lease.jdbc;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class UrlConnectionsTest {

    /** Seconds are rounded up: a driver reads 0 as no timeout. */
    @ParameterizedTest
    @CsvSource(delimiter = '|',
            textBlock = """
                    jdbc:postgresql://h/db | {ApplicationName=shardedid-lease, connectTimeout=3, loginTimeout=3, prepareThreshold=0, socketTimeout=3}
                    jdbc:mariadb://h/db    | {connectTimeout=2500, socketTimeout=2500}
                    jdbc:mysql://h/db      | {connectTimeout=2500, socketTimeout=2500}
                    jdbc:oracle:thin:@h    | {}
                    jdbc:h2:mem:x          | {}
                    jdbc:hsqldb:mem:x      | {}
                    """)
    void eachDriverReadsTheTimeoutInItsOwnUnit(String url, String properties) {
        Map<Object, Object> sorted = new TreeMap<>(UrlConnections.timeouts(url, Duration.ofMillis(2500)));

        assertThat(sorted).hasToString(properties);
    }

}
