package io.shardedid.worker;

import java.time.Duration;

import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.TimeSource;
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

    private static LeaseSettings times(Duration window, Duration renewEvery, Duration startupTimeout) {
        return LeaseSettings.builder()
            .window(window)
            .renewEvery(renewEvery)
            .startupTimeout(startupTimeout)
            .owner("me")
            .build();
    }

    private static LeaseSettings skews(Duration warn, Duration refuse) {
        return LeaseSettings.builder().warnSkew(warn).refuseSkew(refuse).owner("me").build();
    }

    private static LeaseSettings worker(int worker) {
        return LeaseSettings.builder().workerId(worker).owner("me").build();
    }

    private static EngineTerms terms(IdLayout layout, Duration maxAhead) {
        return new EngineTerms(layout, 2, "modulo", maxAhead, Duration.ofSeconds(5), TimeSource.system());
    }

    private static void assertRefused(Runnable settings, String message) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(settings::run).withMessage(message);
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "a\u0000b", "it's", "say \"hi\"", "`x`", "two\nlines",
            "12345678901234567890123456789012345678901234567890123456789012345" })
    void refusesNamespacesThatNoDatabaseShouldSee(String namespace) {
        assertRefused(() -> namespace(namespace),
                "namespace must have 1 to 64 characters without control characters and quotes: "
                        + "shardedid.worker.lease.namespace='%s'"
                            .formatted(namespace.replace("\u0000", "\\u0000").replace("\n", "\\u000a")));
    }

    @ParameterizedTest
    @ValueSource(strings = { "a", "team a/photos", "фото",
            "1234567890123456789012345678901234567890123456789012345678901234" })
    void takesOtherNamespaces(String namespace) {
        assertThat(namespace(namespace).namespace()).isEqualTo(namespace);
    }

    @Test
    void refusesAWindowShorterThanThreeRenewals() {
        assertRefused(() -> times(Duration.ofMillis(23_999), Duration.ofSeconds(8), HOUR),
                "window must be in [3 renewals, 1h]: shardedid.worker.lease.window=23999ms, "
                        + "shardedid.worker.lease.renew-every=8s");
        assertThatNoException()
            .isThrownBy(() -> times(Duration.ofSeconds(24), Duration.ofSeconds(8), Duration.ofSeconds(25)));
    }

    @Test
    void refusesAWindowThatTheMarginEatsUp() {
        assertRefused(() -> times(Duration.ofMillis(999), Duration.ofMillis(100), HOUR),
                "window must be at least 1s, half a second of which is left unused: "
                        + "shardedid.worker.lease.window=999ms");
        assertThatNoException().isThrownBy(() -> times(Duration.ofSeconds(1), Duration.ofMillis(100), HOUR));
    }

    @ParameterizedTest
    @CsvSource({ "PT30S, PT8S", "PT10S, PT2.666S", "PT1S, PT0.266S", "PT1H, PT16M" })
    void renewsFourFifteenthsOfTheWindowByDefault(Duration window, Duration renewEvery) {
        assertThat(LeaseSettings.defaultRenewEvery(window)).isEqualTo(renewEvery);
        assertThatNoException().isThrownBy(() -> times(window, renewEvery, HOUR.plusSeconds(1)));
    }

    @Test
    void defaultsRenewByTheirWindow() {
        assertThat(LeaseSettings.builder().build().renewEvery()).isEqualTo(Duration.ofSeconds(8));
    }

    @ParameterizedTest
    @CsvSource({ "PT0S, 0s", "PT-30S, -30s", "PT0.374S, 374ms", "PT0.0305S, PT0.0305S" })
    void refusesTheWindowAndNotTheRenewalsThatFollowFromIt(Duration window, String written) {
        assertRefused(() -> times(window, LeaseSettings.defaultRenewEvery(window), HOUR),
                "window must be at least 1s, half a second of which is left unused: shardedid.worker.lease.window="
                        + written);
    }

    @Test
    void refusesAWindowLongerThanAnHour() {
        assertRefused(() -> times(HOUR.plusMillis(1), Duration.ofSeconds(8), HOUR.plusMinutes(1)),
                "window must be in [3 renewals, 1h]: shardedid.worker.lease.window=3600001ms, "
                        + "shardedid.worker.lease.renew-every=8s");
        assertThatNoException().isThrownBy(() -> times(HOUR, Duration.ofMinutes(20), HOUR.plusMillis(1)));
    }

    @ParameterizedTest
    @CsvSource({ "PT0.099S, 99ms", "PT0S, 0s", "PT-8S, -8s" })
    void refusesRenewalsWithoutPause(Duration renewEvery, String written) {
        assertRefused(() -> times(Duration.ofSeconds(30), renewEvery, HOUR),
                "renew-every must be at least PT0.1S: shardedid.worker.lease.renew-every=" + written);
    }

    @Test
    void refusesAStartThatWouldNotWaitForADeadPredecessor() {
        assertRefused(() -> times(Duration.ofSeconds(30), Duration.ofSeconds(8), Duration.ofSeconds(30)),
                "startup-timeout must be longer than the window, after which the worker id of a killed process is free: "
                        + "shardedid.worker.lease.startup-timeout=30s, shardedid.worker.lease.window=30s");
        assertThatNoException()
            .isThrownBy(() -> times(Duration.ofSeconds(30), Duration.ofSeconds(8), Duration.ofMillis(30_001)));
    }

    @Test
    void refusesAWarningBeyondTheRefusal() {
        assertRefused(() -> skews(Duration.ofSeconds(2), Duration.ofSeconds(1)),
                "warn-skew must be in [PT0S, refuse-skew]: shardedid.clock.warn-skew=2s, "
                        + "shardedid.clock.refuse-skew=1s");
        assertRefused(() -> skews(Duration.ofSeconds(-1), Duration.ofSeconds(1)),
                "warn-skew must be in [PT0S, refuse-skew]: shardedid.clock.warn-skew=-1s, "
                        + "shardedid.clock.refuse-skew=1s");
        assertThatNoException().isThrownBy(() -> skews(Duration.ZERO, Duration.ZERO));
    }

    @Test
    void refusesToRunAheadFartherThanALease() {
        LeaseSettings settings = namespace("default");
        assertRefused(() -> settings.check(terms(IdLayout.instagram(), Duration.ofSeconds(30))),
                "max-ahead must be shorter than the window: shardedid.clock.max-ahead=30s, "
                        + "shardedid.worker.lease.window=30s");
        assertThatNoException()
            .isThrownBy(() -> settings.check(terms(IdLayout.instagram(), Duration.ofMillis(29_999))));
    }

    @ParameterizedTest
    @ValueSource(ints = { -1, 31, 32, Integer.MIN_VALUE, Integer.MAX_VALUE })
    void refusesTheReservedWorkerAndThoseOutsideTheBits(int worker) {
        assertRefused(() -> worker(worker).check(terms(IdLayout.instagram(), Duration.ofSeconds(1))),
                "worker must be in [0, 30] (worker-bits=5; 31 is reserved for ids made by the database): "
                        + "shardedid.worker.id=" + worker);
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 30 })
    void takesTheWorkersAtTheEdges(int worker) {
        assertThatNoException()
            .isThrownBy(() -> worker(worker).check(terms(IdLayout.instagram(), Duration.ofSeconds(1))));
    }

    @Test
    void refusesALayoutWithoutWorkers() {
        assertRefused(
                () -> namespace("default")
                    .check(terms(IdLayout.builder().workerBits(0).build(), Duration.ofSeconds(1))),
                "a lease needs a layout with worker bits: worker-bits=0; use 'shardedid.worker.mode=fixed' with one "
                        + "writer, or a layout with worker bits");
    }

    @Test
    void cutsTheOwnerToItsColumn() {
        assertThat(LeaseSettings.builder().owner("x".repeat(300)).build().owner()).hasSize(255);
    }

    @Test
    void ownerNamesApplicationHostAndProcess() {
        String process = Host.LOCAL.name() + ", pid " + ProcessHandle.current().pid();
        assertThat(LeaseSettings.builder().application("orders").build().owner()).isEqualTo("orders on " + process);
        assertThat(LeaseSettings.builder().application("").build().owner()).isEqualTo(process);
        assertThat(LeaseSettings.builder().build().owner()).isEqualTo(process);
    }

    @Test
    void renewalsFollowTheWindowUntilTheyAreSet() {
        assertThat(LeaseSettings.builder().window(Duration.ofSeconds(15)).build().renewEvery())
            .isEqualTo(Duration.ofSeconds(4));
        assertThat(LeaseSettings.builder()
            .renewEvery(Duration.ofSeconds(5))
            .window(Duration.ofSeconds(15))
            .build()
            .renewEvery()).isEqualTo(Duration.ofSeconds(5));
    }

}
