package io.shardedid.hibernate;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.ShardFunction;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIds;
import io.shardedid.config.KeyChange;
import io.shardedid.config.ShardedIdKey;
import io.shardedid.config.ShardedIdSettings;
import io.shardedid.database.DatabaseIds;
import io.shardedid.worker.WorkerMode;

import org.hibernate.cfg.AvailableSettings;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.service.Service;
import org.hibernate.service.spi.Stoppable;
import org.jspecify.annotations.Nullable;

/**
 * The engine of a session factory: one that was handed over, which stays open when the
 * factory closes, or one that is opened by the settings of the persistence unit and
 * closed with it. Safe for use by many threads.
 */
@SuppressWarnings("serial") // every Service of Hibernate is Serializable, none is
                            // serialized
public final class ShardedIdService implements Service, Stoppable {

    /** Every service of Hibernate is serializable, none is serialized. */
    private static final long serialVersionUID = 1L;

    private static final String BEAN_CONTAINER = AvailableSettings.BEAN_CONTAINER;

    private final transient Map<String, Object> unit;

    private final transient Map<String, KeyedRow> keyedRows = new ConcurrentHashMap<>();

    private final transient AtomicReference<@Nullable ShardedIds> opened = new AtomicReference<>();

    /** What generators have been made for. */
    private final transient GeneratedAttributes generated = new GeneratedAttributes();

    /** For what only reads ids; makes none. */
    private final transient AtomicReference<@Nullable ShardedIds> reading = new AtomicReference<>();

    private transient volatile @Nullable ShardedIdSettings settings;

    private transient volatile boolean stopped;

    ShardedIdService(Map<String, Object> unit) {
        this.unit = unit;
    }

    /**
     * Returns the engine of a session factory, for an application without an injected
     * one.
     * @param sessionFactory a session factory, or an entity manager factory unwrapped to
     * one
     * @return the ids, which the service closes
     * @throws ShardedIdConfigurationException if the settings of the factory do not allow
     * an engine
     * @throws io.shardedid.ShardedIdException if no worker id can be had
     */
    public static ShardedIds idsOf(org.hibernate.SessionFactory sessionFactory) {
        return sessionFactory.unwrap(SessionFactoryImplementor.class)
            .getServiceRegistry()
            .requireService(ShardedIdService.class)
            .ids();
    }

    /**
     * Returns the engine, and opens it when nothing was handed over and this is the first
     * call.
     * @return the ids, which the service closes
     * @throws ShardedIdConfigurationException if the settings cannot be read, contradict
     * the engine, or do not allow one to be opened; nothing was opened
     * @throws io.shardedid.ShardedIdException if no worker id can be had
     */
    public ShardedIds ids() {
        ShardedIdSettings read = settings();
        if (read.engine().isPresent()) {
            return read.engine().get();
        }
        ShardedIds open = this.opened.get();
        return (open != null) ? open : open(read);
    }

    /** The shard function of the engine, without opening it. */
    ShardFunction shardFunction() {
        return settings().engine().map(ShardedIds::shardFunction).orElseGet(() -> settings().shardFunction());
    }

    /** The layout of the ids, without opening an engine. */
    IdLayout layout() {
        return settings().engine().map(ShardedIds::layout).orElseGet(() -> settings().layout());
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

    /**
     * What is set for the unit, there or by whoever manages it. Looks at nothing else, so
     * that a factory without sharded ids is not bothered.
     */
    KeyChange onKeyChange() {
        ShardedIdKey key = ShardedIdKey.ON_KEY_CHANGE;
        Object set = this.unit.get(key.externalName());
        if (set != null) {
            return (KeyChange) key.read(set);
        }
        return (this.unit.get(ShardedIdSettings.MANAGED) instanceof ShardedIdSettings managing) ? managing.onKeyChange()
                : KeyChange.ALLOW;
    }

    /** Whether Hibernate adds what the schema lacks, beside processes that go on. */
    boolean updatesSchema() {
        return UnitConnections.schemaAction(this.unit).equals("update");
    }

    /**
     * Remembers how the shard key of an entity is read, by the root of its hierarchy. The
     * key of the identifier comes before that of another attribute.
     */
    void putKeyedRow(String entityName, KeyedRow row) {
        this.keyedRows.merge(entityName, row, (old, now) -> (now.id() != null || old.id() == null) ? now : old);
    }

    /** How the shard key of an entity is read, or null if it has none. */
    @Nullable KeyedRow keyedRow(String rootEntityName) {
        return this.keyedRows.get(rootEntityName);
    }

    /** What generators have been made for. */
    GeneratedAttributes generated() {
        return this.generated;
    }

    /**
     * The SQL by which the database makes the ids of this unit.
     * @throws ShardedIdConfigurationException if it cannot, or this process would make
     * the same ids
     */
    DatabaseIds databaseIds() {
        ShardedIds ids = readingIds();
        EngineTerms terms = ids.terms();
        int reserved = (1 << terms.layout().workerBits()) - 1;
        ShardedIdSettings set = settings().managing().orElseGet(this::settings);
        if (set.workerMode() == WorkerMode.FIXED && reserved > 0 && set.workerId().orElse(-1) == reserved) {
            throw new ShardedIdConfigurationException(
                    ("worker must be in [0, %d] (worker-bits=%d; %d is reserved for ids made by the database): "
                            + "shardedid.worker.id=%3$d")
                        .formatted(reserved - 1, terms.layout().workerBits(), reserved));
        }
        DatabaseIds made = new DatabaseIds(terms.layout(), terms.shards(), ids.shardFunction(), terms.maxAhead(),
                terms.maxWait());
        if (ids.legacyBefore().isPresent()) {
            return made.since(ids.legacyBefore().get());
        }
        return (ids.firstTick() > 0) ? made.sinceFirstLease(terms.layout().instantAt(ids.firstTick())) : made;
    }

    /**
     * Returns the engine if it is there, else one that takes no worker id and makes no
     * ids.
     * @throws ShardedIdConfigurationException as in {@link #ids()}
     */
    ShardedIds readingIds() {
        ShardedIdSettings read = settings();
        ShardedIds known = read.engine().orElseGet(this.opened::get);
        known = (known != null) ? known : this.reading.get();
        if (known != null) {
            return known;
        }
        mayOpen(read);
        ShardedIds mine = read.openToRead();
        ShardedIds first = this.reading.compareAndExchange(null, mine);
        if (first != null) {
            mine.close();
        }
        return (first != null) ? first : mine;
    }

    private ShardedIds open(ShardedIdSettings read) {
        if (this.stopped) {
            throw new IllegalStateException("Could not open an id engine: its session factory was closed");
        }
        // opening may read a database: under no lock, and whoever comes second steps back
        ShardedIds mine = opened(read);
        ShardedIds first = this.opened.compareAndExchange(null, mine);
        if (first != null) {
            mine.close();
        }
        else if (this.stopped) {
            stop();
        }
        return (first != null) ? first : mine;
    }

    private ShardedIds opened(ShardedIdSettings read) {
        mayOpen(read);
        return read.open(UnitConnections.environment(this.unit));
    }

    /**
     * Refuses to run on default values where somebody else was to bring the engine.
     */
    private void mayOpen(ShardedIdSettings read) {
        // a framework that makes the beans also brings the engine, or a mode is set
        boolean byFramework = this.unit.get(BEAN_CONTAINER) != null;
        if (read.managed() || byFramework && !read.isSet(ShardedIdKey.WORKER_MODE)) {
            throw new ShardedIdConfigurationException(
                    ("No id engine was handed over: '%s' is absent (%s); add 'shardedid-spring-boot-starter', or put a "
                            + "ShardedIds under that key into the properties of the persistence unit, or set "
                            + "'shardedid.worker.mode' there and leave '%s' away to let the unit open its own")
                        .formatted(ShardedIdSettings.ENGINE,
                                read.managed() ? ShardedIdSettings.MANAGED + " is set"
                                        : "a framework makes the beans: " + BEAN_CONTAINER + " is set",
                                ShardedIdSettings.MANAGED));
        }
    }

    /**
     * Reads the settings late, so that a factory without sharded ids is never bothered.
     */
    private ShardedIdSettings settings() {
        ShardedIdSettings read = this.settings;
        if (read == null) {
            read = ShardedIdSettings.from(withoutUnknownSystemProperties(this.unit));
            EngineAgreement.check(read);
            this.settings = read;
        }
        return read;
    }

    /**
     * Hibernate mixes all system properties into its settings, also those that merely
     * start like ours.
     */
    private static Map<String, Object> withoutUnknownSystemProperties(Map<String, Object> unit) {
        return unit.entrySet()
            .stream()
            .filter((entry) -> entry.getValue() != null && entry.getKey().startsWith(ShardedIdSettings.PREFIX))
            .filter((entry) -> ShardedIdKey.named(entry.getKey()).isPresent()
                    || !entry.getValue().equals(System.getProperty(entry.getKey())))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    @Override
    public void stop() {
        this.stopped = true;
        for (ShardedIds open : new ShardedIds[] { this.opened.getAndSet(null), this.reading.getAndSet(null) }) {
            if (open != null) {
                open.close();
            }
        }
    }

}
