package io.shardedid.spring.actuate;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

import io.shardedid.IdLayout;
import io.shardedid.IdParts;
import io.shardedid.ShardedIdEngine;
import io.shardedid.WorkerHolding;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * {@link Endpoint} that shows the engine and takes ids apart. Only reads: it makes no id
 * and changes nothing.
 *
 * @since 0.1
 */
@Endpoint(id = "shardedid")
public class ShardedIdEndpoint {

    private final Supplier<Optional<ShardedIdEngine>> ids;

    /**
     * Makes an endpoint.
     * @param ids the engine
     */
    @Autowired
    public ShardedIdEndpoint(ShardedIdEngine ids) {
        this(() -> Optional.of(ids));
    }

    ShardedIdEndpoint(Supplier<Optional<ShardedIdEngine>> ids) {
        this.ids = ids;
    }

    /**
     * Returns the layout, the shards and who held which worker id when the lease table
     * was read last; this lets the next renewal read it again.
     * @return the engine, or null while none is open
     */
    @ReadOperation
    public @Nullable EngineDescriptor engine() {
        return this.ids.get().map(EngineDescriptor::of).orElse(null);
    }

    /**
     * Takes an id apart.
     * @param id a decimal number
     * @return its parts, or null while no engine is open
     * @throws InvalidEndpointRequestException if it is no id
     */
    @ReadOperation
    public @Nullable IdDescriptor id(@Selector String id) {
        return this.ids.get().map((engine) -> parts(id, engine)).orElse(null);
    }

    private static IdDescriptor parts(String id, ShardedIdEngine engine) {
        long number = number(id);
        if (number > engine.layout().lastId()) {
            String doubt = String.join(", ", engine.problemsWith(number));
            throw new InvalidEndpointRequestException("Could not take the id apart: id='%s' (%s)".formatted(id, doubt),
                    "the id cannot be read: " + doubt);
        }
        IdParts parts = engine.parse(number);
        return new IdDescriptor(Long.toString(number), parts.instant(), parts.shard(), parts.worker(), parts.sequence(),
                engine.reader().isOlder(number), engine.problemsWith(number));
    }

    private static long number(String id) {
        OptionalLong number = IdLayout.parseText(id);
        if (number.isEmpty() || number.getAsLong() < 0) {
            throw new InvalidEndpointRequestException(
                    "Could not take the id apart: id='%s' (a whole number from 0 to %s)".formatted(id, Long.MAX_VALUE),
                    "an id is a whole number from 0 to " + Long.MAX_VALUE);
        }
        return number.getAsLong();
    }

    /**
     * An engine.
     *
     * @param layout how the bits are shared out
     * @param shards the number of logical shards
     * @param shardFunction the id of the shard function
     * @param workerId the worker id of this process, or null while it has none
     * @param workers who held which worker id when the lease table was read last
     */
    public record EngineDescriptor(LayoutDescriptor layout, int shards, String shardFunction,
            @Nullable Integer workerId, List<WorkerDescriptor> workers) {

        private static EngineDescriptor of(ShardedIdEngine engine) {
            int worker = engine.stats().worker();
            return new EngineDescriptor(LayoutDescriptor.of(engine.layout()), engine.shards(),
                    engine.reader().shardFunction().id(), (worker >= 0) ? worker : null,
                    engine.workers().stream().map(WorkerDescriptor::of).toList());
        }

    }

    /**
     * A layout.
     *
     * @param epoch the instant of tick 0
     * @param lastUsableInstant the start of the last tick
     * @param tick the length of a tick in ISO form
     * @param fields the fields and their widths, as {@link IdLayout#describe()} describes
     * them
     */
    public record LayoutDescriptor(Instant epoch, Instant lastUsableInstant, String tick, String fields) {

        private static LayoutDescriptor of(IdLayout layout) {
            return new LayoutDescriptor(layout.epoch(), layout.lastUsableInstant(), layout.tick().toString(),
                    layout.describe());
        }

    }

    /**
     * Who holds a worker id, or held it last.
     *
     * @param workerId the worker id
     * @param state {@code held}, {@code expired} if the process neither renewed its lease
     * nor gave it back, or {@code free}
     * @param owner application, host and process that had it last; empty if it gave the
     * worker id back, or there was none
     * @param until when another process may take it; null when it is configured, not
     * leased
     * @param acquisitions how often it changed hands
     * @param mine whether this process holds it
     */
    public record WorkerDescriptor(int workerId, String state, String owner, @Nullable Instant until, long acquisitions,
            boolean mine) {

        private static WorkerDescriptor of(WorkerHolding holding) {
            Instant until = holding.until().equals(Instant.MAX) ? null : holding.until();
            String state = holding.state().name().toLowerCase(Locale.ROOT).replace('_', '-');
            return new WorkerDescriptor(holding.worker(), state, holding.owner(), until, holding.acquisitions(),
                    holding.mine());
        }

    }

    /**
     * An id taken apart.
     *
     * @param id the id, as a string, since JavaScript rounds it as a number
     * @param instant the start of its tick
     * @param shard its logical shard
     * @param workerId the worker id that made it
     * @param sequence its number within tick, shard and worker
     * @param older whether it is older than the generator, so that its parts mean nothing
     * @param problems why it may be no id of this layout; empty if it may well be one
     */
    public record IdDescriptor(String id, Instant instant, int shard, int workerId, int sequence, boolean older,
            List<String> problems) {
    }

}
