package io.shardedid.spring.actuate;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.shardedid.EngineStats;
import io.shardedid.ShardedIdEngine;
import io.shardedid.spring.boot.LeaseMonitor;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;

/**
 * {@link MeterBinder} for an engine. All meters are read when the registry asks.
 *
 * @since 0.1
 */
public class ShardedIdMetrics implements MeterBinder {

    private final EngineMonitor figures;

    private final @Nullable LeaseMonitor leases;

    /**
     * Makes a binder.
     * @param ids the engine
     * @param leases what became of its lease, or null if nothing is leased
     */
    @Autowired
    public ShardedIdMetrics(ShardedIdEngine ids, @Nullable LeaseMonitor leases) {
        this(() -> Optional.of(ids), leases);
    }

    ShardedIdMetrics(Supplier<Optional<ShardedIdEngine>> ids, @Nullable LeaseMonitor leases) {
        this.figures = new EngineMonitor(ids);
        this.leases = leases;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        counter("shardedid.ids", EngineStats::issued).baseUnit("ids").description("Ids made").register(registry);
        counter("shardedid.sequence.exhausted", EngineStats::sequencesExhausted)
            .description(
                    "Callers that found the sequence of their shard used up as far ahead of the clock as is allowed")
            .register(registry);
        FunctionTimer
            .builder("shardedid.wait", this.figures, (engine) -> engine.stats().waits(),
                    (engine) -> engine.stats().waited().toNanos(), TimeUnit.NANOSECONDS)
            .description("Parking of callers that waited for an id")
            .register(registry);
        TimeGauge
            .builder("shardedid.ahead", this.figures, TimeUnit.NANOSECONDS,
                    (engine) -> engine.read((stats) -> stats.ahead().toNanos()))
            .description("How far the foremost shard has run ahead of the clock")
            .register(registry);
        Gauge.builder("shardedid.worker.id", this.figures, (engine) -> engine.read(EngineStats::worker))
            .description("Worker id of this process, or -1 while it has none")
            .register(registry);
        if (this.leases != null) {
            bindTo(registry, this.leases);
        }
    }

    private void bindTo(MeterRegistry registry, LeaseMonitor leases) {
        TimeGauge
            .builder("shardedid.lease.remaining", this.figures, TimeUnit.NANOSECONDS,
                    (engine) -> engine.read((stats) -> stats.leaseRemaining().toNanos()))
            .description("How long ids can be made without another renewal")
            .register(registry);
        renewals("success", leases, LeaseMonitor::renewals).register(registry);
        renewals("failure", leases, LeaseMonitor::failures).register(registry);
        FunctionCounter.builder("shardedid.lease.lost", leases, LeaseMonitor::losses)
            .description("Leases that were found to belong to another process")
            .register(registry);
        FunctionCounter.builder("shardedid.lease.violations", leases, LeaseMonitor::violations)
            .description(
                    "Leases of which another process could use a part before they had expired: duplicate ids are possible")
            .register(registry);
        TimeGauge.builder("shardedid.clock.skew", leases, TimeUnit.NANOSECONDS, (figures) -> figures.skew().toNanos())
            .description("How far the clock of the database is ahead of the one that ids go by, if it is too far")
            .register(registry);
    }

    private FunctionCounter.Builder<EngineMonitor> counter(String name, ToDoubleFunction<EngineStats> figure) {
        return FunctionCounter.builder(name, this.figures, (engine) -> engine.read(figure));
    }

    private static FunctionCounter.Builder<LeaseMonitor> renewals(String result, LeaseMonitor leases,
            ToDoubleFunction<LeaseMonitor> figure) {
        return FunctionCounter.builder("shardedid.lease.renewals", leases, figure)
            .tag("result", result)
            .description("Attempts to extend the lease");
    }

}
