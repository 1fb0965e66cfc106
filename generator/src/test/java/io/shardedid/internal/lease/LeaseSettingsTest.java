package io.shardedid.internal.lease;

import java.time.Duration;

import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.TimeSource;
import io.shardedid.internal.MessageText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

class LeaseSettingsTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private static LeaseSettings namespace(String namespace) {
        return LeaseSettings.builder().namespace(namespace).owner("me").build();
    }

    private static LeaseSettings times(Duration window, Duration startupTimeout) {
        return LeaseSettings.builder().window(window).startupTimeout(startupTimeout).owner("me").build();
    }

    private static LeaseSettings worker(int worker) {
        return LeaseSettings.builder().workerId(worker).owner("me").build();
    }

    private static EngineTerms terms(IdLayout layout, Duration maxAhead) {
        return new EngineTerms(layout, 2, "modulo", maxAhead, Duration.ofSeconds(5), null, TimeSource.system());
    }

    private static void assertRefused(Runnable settings, String fields) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(settings::run)
            .withMessageContainingAll(fields.split(" \\| "));
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "a\u0000b", "it's", "say \"hi\"", "`x`", "two\nlines",
            "12345678901234567890123456789012345678901234567890123456789012345" })
    void refusesNamespacesThatNoDatabaseShouldSee(String namespace) {
        assertRefused(() -> namespace(namespace),
                "shardedid.worker.lease.namespace='" + MessageText.shown(namespace) + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = { "a", "team a/photos", "фото",
            "1234567890123456789012345678901234567890123456789012345678901234" })
    void takesOtherNamespaces(String namespace) {
        assertThat(namespace(namespace).namespace()).isEqualTo(namespace);
    }

    @Test
    void refusesAWindowThatTheMarginEatsUp() {
        assertRefused(() -> times(Duration.ofMillis(999), HOUR), "shardedid.worker.lease.window=999ms");
        assertThatNoException().isThrownBy(() -> times(Duration.ofSeconds(1), HOUR));
    }

    @ParameterizedTest
    @CsvSource({ "PT30S, PT8S", "PT10S, PT2.666S", "PT1S, PT0.266S", "PT1H, PT16M" })
    void renewsAfterFourFifteenthsOfTheWindow(Duration window, Duration renewEvery) {
        assertThat(times(window, HOUR.plusSeconds(1)).renewEvery()).isEqualTo(renewEvery);
    }

    @ParameterizedTest
    @CsvSource({ "PT0S, 0s", "PT-30S, -30s", "PT0.374S, 374ms", "PT0.0305S, 30500us" })
    void refusesTheWindowAndNotTheRenewalsThatFollowFromIt(Duration window, String written) {
        assertRefused(() -> times(window, HOUR), "shardedid.worker.lease.window=" + written);
    }

    @Test
    void refusesAWindowLongerThanAnHour() {
        assertRefused(() -> times(HOUR.plusMillis(1), HOUR.plusMinutes(1)),
                "shardedid.worker.lease.window=3600001ms | [1s, 1h]");
        assertThatNoException().isThrownBy(() -> times(HOUR, HOUR.plusMillis(1)));
    }

    @Test
    void refusesAStartThatWouldNotWaitForADeadPredecessor() {
        assertRefused(() -> times(Duration.ofSeconds(30), Duration.ofSeconds(30)),
                "shardedid.worker.lease.startup-timeout=30s | shardedid.worker.lease.window=30s");
        assertThatNoException().isThrownBy(() -> times(Duration.ofSeconds(30), Duration.ofMillis(30_001)));
    }

    @Test
    void refusesANegativeDifferenceOfTheClocks() {
        assertRefused(() -> LeaseSettings.builder().maxSkew(Duration.ofSeconds(-1)).build(),
                "shardedid.clock.max-skew=-1s");
        assertThatNoException().isThrownBy(() -> LeaseSettings.builder().maxSkew(Duration.ZERO).build());
    }

    @Test
    void refusesToRunAheadFartherThanALease() {
        LeaseSettings leaseSettings = namespace("default");
        assertRefused(() -> LeaseRules.of(leaseSettings).check(terms(IdLayout.manyShards(), Duration.ofSeconds(30))),
                "shardedid.clock.max-ahead=30s | shardedid.worker.lease.window=30s");
        assertThatNoException().isThrownBy(
                () -> LeaseRules.of(leaseSettings).check(terms(IdLayout.manyShards(), Duration.ofMillis(29_999))));
    }

    @ParameterizedTest
    @ValueSource(ints = { -1, 31, 32, Integer.MIN_VALUE, Integer.MAX_VALUE })
    void refusesTheReservedWorkerAndThoseOutsideTheBits(int worker) {
        assertRefused(() -> LeaseRules.of(worker(worker)).check(terms(IdLayout.manyShards(), Duration.ofSeconds(1))),
                "[0, 30] | reserved | shardedid.worker.id=" + worker);
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 30 })
    void takesTheWorkersAtTheEdges(int worker) {
        assertThatNoException()
            .isThrownBy(() -> LeaseRules.of(worker(worker)).check(terms(IdLayout.manyShards(), Duration.ofSeconds(1))));
    }

    @Test
    void refusesALayoutWithoutWorkers() {
        assertRefused(
                () -> LeaseRules.of(namespace("default"))
                    .check(terms(IdLayout.builder().workerBits(0).build(), Duration.ofSeconds(1))),
                "worker-bits=0 | shardedid.worker.mode=fixed");
    }

    @Test
    void cutsTheOwnerToItsColumn() {
        assertThat(LeaseSettings.builder().owner("x".repeat(300)).build().owner()).hasSize(255);
    }

    @Test
    void ownerNamesApplicationHostAndProcess() {
        String process = LeaseSettings.builder().build().owner();
        assertThat(LeaseSettings.builder().application("orders").build().owner()).isEqualTo("orders on " + process);
        assertThat(LeaseSettings.builder().application("").build().owner()).isEqualTo(process);
        assertThat(LeaseSettings.builder().build().owner()).isEqualTo(process);
    }

}
