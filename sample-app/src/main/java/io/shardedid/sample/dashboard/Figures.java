package io.shardedid.sample.dashboard;

import java.util.List;
import java.util.Locale;

import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.Search;

import org.springframework.stereotype.Component;

/**
 * The meters of the engine, read where the actuator reads them.
 */
@Component
class Figures {

    private final MeterRegistry registry;

    Figures(MeterRegistry registry) {
        this.registry = registry;
    }

    List<Figure> now() {
        return List.of(
                count("shardedid.ids", "Ids",
                        "made since this process started; those of the first photos are older"),
                seconds("shardedid.ahead", "Run-ahead", "how far the foremost shard is ahead of the clock"),
                count("shardedid.sequence.exhausted", "Sequence used up",
                        "callers that waited, since a shard had no id left"),
                seconds("shardedid.lease.remaining", "Lease remaining", "how long ids can be made without a renewal"),
                count("shardedid.worker.id", "Worker id", "of this process; -1 while it has none"),
                count("shardedid.lease.renewals?tag=result:success", "Renewals", "of the lease, confirmed"),
                count("shardedid.lease.renewals?tag=result:failure", "Failed renewals", "the database did not answer"),
                count("shardedid.lease.lost", "Leases lost", "another process had the worker id; another was taken"),
                seconds("shardedid.clock.skew", "Clock skew", "how far the database's clock is off, if too far"));
    }

    private Figure count(String meter, String name, String meaning) {
        return new Figure(meter, name, meaning, String.format(Locale.ROOT, "%,.0f", read(meter)));
    }

    private Figure seconds(String meter, String name, String meaning) {
        return new Figure(meter, name, meaning, String.format(Locale.ROOT, "%.3f s", read(meter)));
    }

    /** A meter that is not there, as without a lease, is 0. */
    private double read(String meter) {
        String[] nameAndTag = meter.split("\\?tag=");
        Search search = this.registry.find(nameAndTag[0]);
        if (nameAndTag.length > 1) {
            String[] tag = nameAndTag[1].split(":");
            search = search.tag(tag[0], tag[1]);
        }
        Meter found = search.meter();
        if (found == null) {
            return 0;
        }
        for (Measurement measurement : found.measure()) {
            return measurement.getValue();
        }
        return 0;
    }

}
