package io.shardedid.hibernate;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.shardedid.IdLayout;
import io.shardedid.IdReader;
import io.shardedid.ShardFunction;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.internal.config.ShardedIdSettings;
import org.hibernate.engine.jdbc.connections.spi.ConnectionProvider;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.service.Service;
import org.hibernate.service.spi.Stoppable;
import org.jspecify.annotations.Nullable;

/**
 * The engine of a session factory: one that was handed over, which stays open when the
 * factory closes, or one that is opened by the settings of the persistence unit and
 * closed with it. Thread-safe.
 *
 * @since 0.1
 */
@SuppressWarnings("serial")
public final class ShardedIdService implements Service, Stoppable {

    /** Every service of Hibernate is serializable, none is serialized. */
    private static final long serialVersionUID = 1L;

    private final transient UnitSettings unit;

    private final transient boolean reactive;

    private final transient AtomicReference<@Nullable ShardedIdEngine> opened = new AtomicReference<>();

    /** What generators have been made for. */
    private final transient GeneratedAttributes generated = new GeneratedAttributes();

    /** That of the engine, or of the settings as long as none was needed. */
    private final transient AtomicReference<@Nullable IdReader> reader = new AtomicReference<>();

    private transient volatile boolean stopped;

    ShardedIdService(Map<String, Object> unit, Supplier<? extends @Nullable ConnectionProvider> provider,
            boolean reactive) {
        this.unit = new UnitSettings(unit, provider);
        this.reactive = reactive;
    }

    /**
     * Returns the engine of a session factory, for an application without an injected
     * one.
     * @param sessionFactory a session factory, or an entity manager factory unwrapped to
     * one
     * @return the ids, which the service closes
     * @throws ShardedIdConfigurationException if the settings of the factory cannot be
     * read, stand beside an engine, or do not allow one to be opened; nothing was opened
     * @throws io.shardedid.ShardedIdException if no worker id can be had
     */
    public static ShardedIdEngine idsOf(org.hibernate.SessionFactory sessionFactory) {
        return sessionFactory.unwrap(SessionFactoryImplementor.class)
            .getServiceRegistry()
            .requireService(ShardedIdService.class)
            .ids();
    }

    /** Returns the engine; without one that was handed over, the first call opens it. */
    ShardedIdEngine ids() {
        ShardedIdSettings read = this.unit.keys();
        if (read.engine().isPresent()) {
            return read.engine().get();
        }
        ShardedIdEngine open = this.opened.get();
        return (open != null) ? open : open(read);
    }

    /** The shard function of the engine, without opening it. */
    ShardFunction shardFunction() {
        ShardedIdSettings read = this.unit.keys().ofEngine();
        return read.engine().map((engine) -> engine.reader().shardFunction()).orElseGet(read::shardFunction);
    }

    /** The layout of the ids, without opening an engine. */
    IdLayout layout() {
        ShardedIdSettings read = this.unit.keys().ofEngine();
        return read.engine().map(ShardedIdEngine::layout).orElseGet(read::layout);
    }

    /**
     * The layout of the ids. Empty if the settings cannot be read, which is said where
     * the ids are made.
     */
    Optional<IdLayout> layoutIfReadable() {
        try {
            return Optional.of(layout());
        }
        catch (ShardedIdConfigurationException ex) {
            return Optional.empty();
        }
    }

    /** Whether Hibernate Reactive asks for the ids, which has no connections of JDBC. */
    boolean reactive() {
        return this.reactive;
    }

    /**
     * Returns what makes ids before an insert. Where Hibernate Reactive asks for them, an
     * id that waits would stop an event loop, and all other work on it: there a call
     * fails instead.
     */
    ShardedIds generating() {
        return this.reactive ? ids().withoutWaiting() : ids();
    }

    UnitSettings unit() {
        return this.unit;
    }

    GeneratedAttributes generated() {
        return this.generated;
    }

    /**
     * Returns the reader of the engine if it is there, else one that knows the settings.
     * Asked at every insert, so only the first call looks at the settings.
     */
    IdReader reader() {
        IdReader known = this.reader.get();
        return (known != null) ? known : findReader();
    }

    private IdReader findReader() {
        ShardedIdSettings read = this.unit.keys();
        IdReader found;
        if (read.engine().isPresent()) {
            found = read.engine().get().reader();
        }
        else {
            this.unit.mayOpen();
            found = read.reader();
        }
        IdReader first = this.reader.compareAndExchange(null, found);
        return (first != null) ? first : found;
    }

    private ShardedIdEngine open(ShardedIdSettings read) {
        if (this.stopped) {
            throw new IllegalStateException("Could not open an id engine: its session factory was closed");
        }
        this.unit.mayOpen();
        // opening may read a database: under no lock, and the second thread steps back
        ShardedIdEngine mine = read.builder().workers(read.workers(this.unit.leaseEnvironment())).open();
        ShardedIdEngine first = this.opened.compareAndExchange(null, mine);
        if (first != null) {
            mine.close();
        }
        else {
            this.reader.set(mine.reader());
            if (this.stopped) {
                stop();
            }
        }
        return (first != null) ? first : mine;
    }

    @Override
    public void stop() {
        this.stopped = true;
        ShardedIdEngine open = this.opened.getAndSet(null);
        if (open != null) {
            open.close();
        }
    }

}
