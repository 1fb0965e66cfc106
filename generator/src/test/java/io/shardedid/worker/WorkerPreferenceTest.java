package io.shardedid.worker;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.worker.table.JdbcWorkerLeases;
import io.shardedid.worker.table.LeaseConnections;
import io.shardedid.worker.table.SchemaInitialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class WorkerPreferenceTest {

    private record NamedHost(String name, List<InetAddress> addresses) implements Host {

        static NamedHost of(String name, String... addresses) {
            List<InetAddress> found = new ArrayList<>();
            try {
                for (String address : addresses) {
                    found.add(InetAddress.getByName(address));
                }
            }
            catch (UnknownHostException ex) {
                throw new IllegalArgumentException(ex);
            }
            return new NamedHost(name, found);
        }

    }

    @ParameterizedTest
    @CsvSource({ "ordinal, web-0, 0", "ordinal, my-app-blue-17, 17", "ordinal, web-31, 0", "ordinal, web-40, 9",
            "7, x, 7", "private-ip, x, 7" })
    void namesAWorkerId(String text, String host, int worker) {
        Host named = NamedHost.of(host, "fe80::1", "8.8.4.4", "127.0.0.1", "10.1.0.100", "192.168.0.3");

        // 100 of 10.1.0.100 counts on after the 31 ids there are
        assertThat(WorkerPreference.of(text, named).among(31)).hasValue(worker);
    }

    @Test
    void privateAddressGivesItsLow16BitsWhereTheyFit() {
        assertThat(WorkerPreference.of("private-ip", NamedHost.of("x", "172.16.5.7")).among(65_535))
            .hasValue(5 << 8 | 7);
    }

    @Test
    void refusesWhatNamesNothing() {
        refused(() -> WorkerPreference.of("pod").among(31),
                "'shardedid.worker.prefer' must be ordinal, private-ip or a number: shardedid.worker.prefer='pod'");
        refused(() -> WorkerPreference.of("-1").among(31),
                "'shardedid.worker.prefer' must be ordinal, private-ip or a number: shardedid.worker.prefer='-1'");
        refused(() -> WorkerPreference.of("ordinal", NamedHost.of("laptop")).among(31),
                "'shardedid.worker.prefer' needs a host name that ends in a number, as 'web-2' does: host='laptop': "
                        + "shardedid.worker.prefer='ordinal'");
        refused(() -> WorkerPreference.of("private-ip", NamedHost.of("x", "8.8.4.4")).among(31),
                "'shardedid.worker.prefer' needs a private IPv4 address: addresses=[/8.8.4.4]: "
                        + "shardedid.worker.prefer='private-ip'");
        refused(() -> LeaseSettings.builder().workerId(3).preferred(WorkerPreference.of("4")).build(),
                "one of two must be set, 'shardedid.worker.id' for exactly this one or 'shardedid.worker.prefer' for "
                        + "one that may be another: shardedid.worker.id=3, shardedid.worker.prefer='4'");
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void preferredWorkerIsClaimedAndAnotherOneIfItIsTaken(boolean usedBefore) {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        if (usedBefore) {
            open(url, "one", "0").close();
            open(url, "one", "12").close();
        }
        try (ShardedIdEngine first = open(url, "one", "12")) {
            assertThat(first.stats().worker()).isEqualTo(12);
            // the same namespace in this JVM would be the same engine
            assertThat(WorkerChoice.of(settings("one", "12"), 31)
                .free(new LeaseReply.Rows(0, List.of(row(12, Long.MAX_VALUE), row(3, -1))), 0, Long.MAX_VALUE))
                .hasValueSatisfying((row) -> assertThat(row.worker()).isEqualTo(3));
        }
    }

    @Test
    void preferredRowComesBeforeOneThatIsLongerFree() {
        LeaseReply.Rows rows = new LeaseReply.Rows(100, List.of(row(0, 1), row(5, 90), row(7, 2)));

        assertThat(WorkerChoice.of(settings("x", "5"), 31)
            .free(rows, rows.databaseMillis(), Long.MAX_VALUE)
            .orElseThrow()
            .worker()).isEqualTo(5);
        assertThat(WorkerChoice.of(settings("x", "6"), 31)
            .free(rows, rows.databaseMillis(), Long.MAX_VALUE)
            .orElseThrow()
            .worker()).isZero();
        assertThat(WorkerChoice.of(settings("x", "6"), 31).preferredUnused(rows)).hasValue(6);
        assertThat(WorkerChoice.of(settings("x", "5"), 31).preferredUnused(rows)).isEmpty();
    }

    private static LeaseRow row(int worker, long until) {
        return new LeaseRow(worker, "token", 1, until, 0, "me", null);
    }

    private static LeaseSettings settings(String namespace, String preferred) {
        return LeaseSettings.builder()
            .namespace(namespace)
            .window(Duration.ofSeconds(3))
            .renewEvery(Duration.ofSeconds(1))
            .startupTimeout(Duration.ofSeconds(5))
            .preferred(WorkerPreference.of(preferred))
            .build();
    }

    private static ShardedIdEngine open(String url, String namespace, String preferred) {
        return ShardedIds.builder()
            .workers(JdbcWorkerLeases.leased(settings(namespace, preferred), LeaseConnections.url(url, "sa", ""),
                    "shardedid_worker", SchemaInitialization.EMBEDDED, List.of()))
            .open();
    }

    private static void refused(Runnable reading, String message) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(reading::run).withMessage(message);
    }

}
