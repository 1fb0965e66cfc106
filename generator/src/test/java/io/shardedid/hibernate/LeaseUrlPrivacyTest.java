package io.shardedid.hibernate;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIdsBuilder;
import io.shardedid.WorkerLeaseException;
import io.shardedid.hibernate.AssociationModel.User;
import io.shardedid.internal.config.LeaseEnvironment;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The URL of the lease table may carry a password. */
class LeaseUrlPrivacyTest {

    private static final String URL = "shardedid.worker.lease.url";

    static Stream<Arguments> urls() {
        return Stream.of(
                Arguments.of("jdbc:postgresql://keeper:p/w@db:5432/leases?sslmode=require",
                        "jdbc:postgresql://db:5432/leases"),
                Arguments.of("jdbc:postgresql://db/leases?user=keeper&password=p/w", "jdbc:postgresql://db/leases"),
                Arguments.of("jdbc:h2:tcp://db/leases;USER=keeper;PASSWORD=p/w", "jdbc:h2:tcp://db/leases"));
    }

    @ParameterizedTest
    @MethodSource("urls")
    void settingsShowTheUrlWithoutCredentialsAndNoPassword(String url, String shown) {
        assertThat(ShardedIdSettings
            .from(Map.of(URL, url, "shardedid.worker.lease.username", "keeper", "shardedid.worker.lease.password",
                    "s3cret"))
            .toString()).isEqualTo("[%s=%s, shardedid.worker.lease.username=keeper]", URL, shown);
    }

    /** What opens the application's database is not sent to another one. */
    @Test
    void urlAloneTakesNeitherUserNorPasswordOfTheApplication() throws SQLException {
        String url = "jdbc:h2:mem:" + UUID.randomUUID();
        LeaseEnvironment around = new LeaseEnvironment(LeaseConnections.url("jdbc:h2:mem:app", "app", "s3cret"), false,
                "", List.of(), List.of(), false, null);
        try (Connection open = DriverManager.getConnection(url, "app", "s3cret")) {
            assertThat(open.isValid(1)).isTrue();
            ShardedIdsBuilder alone = open(around, Map.of(URL, url));
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(alone::open)
                .withMessageContainingAll("SQLState=28000", "table=shardedid_worker", "connection=" + url,
                        "shardedid.worker.lease.username");
            open(around, Map.of(URL, url, "shardedid.worker.lease.username", "app", "shardedid.worker.lease.password",
                    "s3cret"))
                .open()
                .close();
        }
    }

    private static ShardedIdsBuilder open(LeaseEnvironment around, Map<String, String> keys) {
        ShardedIdSettings settings = ShardedIdSettings.from(keys);
        return settings.builder().workers(settings.workers(around));
    }

    @Test
    void refusalOfSettingsBesideAnEngineNamesTheKeysAndShowsNoValue() {
        try (ShardedIdEngine ids = TestUnit.engine(23)) {
            assertThatExceptionOfType(ShardedIdConfigurationException.class)
                .isThrownBy(() -> TestUnit
                    .of(Map.of("shardedid.engine", ids, URL, "jdbc:postgresql://keeper:secret3@db/here",
                            "shardedid.worker.lease.password", "secret4"), User.class)
                    .close())
                .withMessageContainingAll(URL, "shardedid.worker.lease.password")
                .withMessageNotContaining("secret");
        }
    }

}
