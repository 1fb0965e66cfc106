package io.shardedid.spring.actuate;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import io.shardedid.EngineStats;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIdException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The figures of an engine as meters read them: also before it is open, since nobody
 * opens it by looking, and while the context closes, when the last ones stand.
 * Thread-safe.
 */
final class EngineMonitor {

    private static final EngineStats NOT_OPEN = new EngineStats(-1, Duration.ZERO, Duration.ZERO, 0, Duration.ZERO, 0,
            0);

    private final Supplier<Optional<ShardedIdEngine>> ids;

    private volatile EngineStats last = NOT_OPEN;

    EngineMonitor(Supplier<Optional<ShardedIdEngine>> ids) {
        this.ids = ids;
    }

    /** The engine of a context, once a bean or an entity has opened it. */
    static Supplier<Optional<ShardedIdEngine>> engineOf(ConfigurableListableBeanFactory beans) {
        return () -> {
            BeanFactory each = beans;
            while (each instanceof ConfigurableListableBeanFactory here) {
                for (String name : here.getBeanNamesForType(ShardedIdEngine.class, true, false)) {
                    if (here.containsSingleton(name)) {
                        return Optional.of(here.getBean(name, ShardedIdEngine.class));
                    }
                }
                each = here.getParentBeanFactory();
            }
            return Optional.empty();
        };
    }

    double read(ToDoubleFunction<EngineStats> figure) {
        return figure.applyAsDouble(stats());
    }

    EngineStats stats() {
        try {
            EngineStats now = this.ids.get().map(ShardedIdEngine::stats).orElse(this.last);
            this.last = now;
            return now;
        }
        catch (ShardedIdException ex) {
            return this.last;
        }
    }

    /**
     * Why there is no id, in the words of the log and of the exception that callers get.
     */
    Optional<ShardedIdException> refusal() {
        try {
            return this.ids.get().map((engine) -> engine.leaseSource().refusal());
        }
        catch (ShardedIdException ex) {
            return Optional.of(ex);
        }
    }

    boolean open() {
        return this.ids.get().isPresent();
    }

}
