package io.shardedid.interleavings;

import java.util.Map;
import java.util.stream.Stream;

import io.shardedid.BothUsersScene;
import io.shardedid.CallerAtTheEndScene;
import io.shardedid.ClaimWithPoisonScene;
import io.shardedid.CloseWithRenewalScene;
import io.shardedid.ClosedUserScene;
import io.shardedid.EnteringUserScene;
import io.shardedid.GiveBackScene;
import io.shardedid.KeylessPlaceScene;
import io.shardedid.LastUserScene;
import io.shardedid.OneCell;
import io.shardedid.OtherWorkerScene;
import io.shardedid.ResumedAgainScene;
import io.shardedid.ResumedUserScene;
import io.shardedid.StandstillWithRenewalScene;
import io.shardedid.internal.lease.LateRenewalScene;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever schedule two threads have, the cells, the engine and its users keep what they
 * promise. Each scene finds a fault, because one that explores nothing is green as well.
 */
@Tag("proof")
class InterleavingsTest {

    /** The schedules of each scene. */
    private static final Map<Class<?>, Integer> SCENES = Map.ofEntries(Map.entry(OneCell.class, 1000),
            Map.entry(ClaimWithPoisonScene.class, 500), Map.entry(OtherWorkerScene.class, 500),
            Map.entry(GiveBackScene.class, 500), Map.entry(KeylessPlaceScene.class, 500),
            Map.entry(CloseWithRenewalScene.class, 500), Map.entry(CallerAtTheEndScene.class, 500),
            Map.entry(StandstillWithRenewalScene.class, 500), Map.entry(ClosedUserScene.class, 500),
            Map.entry(LastUserScene.class, 500), Map.entry(BothUsersScene.class, 500),
            Map.entry(ResumedUserScene.class, 1000), Map.entry(ResumedAgainScene.class, 500),
            Map.entry(EnteringUserScene.class, 500), Map.entry(LateRenewalScene.class, 500));

    static Stream<Class<?>> scenes() {
        return SCENES.keySet().stream();
    }

    static Stream<Fault> faults() {
        return Stream.of(
                new Fault("a claim that does not compare", OneCell.class, 1000, "generator", "ShardCells.java",
                        "(long) CELL.compareAndExchange(this.cells, shard * STRIDE, seen, next)",
                        "seen; CELL.setVolatile(this.cells, shard * STRIDE, next)", "Invalid execution results"),
                new Fault("a claim of several that does not compare", OneCell.class, 1000, "generator",
                        "ShardCells.java",
                        "(long) CELL.compareAndExchange(this.cells, shard * STRIDE, seen, Math.min(first + wanted, limit) - 1)",
                        "seen; CELL.setVolatile(this.cells, shard * STRIDE, Math.min(first + wanted, limit) - 1)",
                        "Invalid execution results"),
                new Fault("a poison that reads, then writes", ClaimWithPoisonScene.class, 500, "generator",
                        "ShardCells.java", "(long) CELL.getAndSet(this.cells, at, POISON)",
                        "(long) CELL.getVolatile(this.cells, at); CELL.setVolatile(this.cells, at, POISON)",
                        "a claim is above what the poison told"),
                new Fault("the next lease is seen before the poison", OtherWorkerScene.class, 500, "generator",
                        "CellClaims.java", "if (this.next.cells != before) {",
                        "CellClaims.this.held = this.next; if (this.next.cells != before) {",
                        "an id after the change is not larger"),
                new Fault("the highest claim is read before the poison", GiveBackScene.class, 500, "generator",
                        "CellClaims.java", "tickOf(cells.poison()));", "tickOf(cells.highest())); cells.poison();",
                        "an id of the first lease is above the tick that was told"),
                new Fault("an id is packed with the lease of now", GiveBackScene.class, 500, "generator",
                        "NumberMaker.java", "return (cell >= 0) ? held.pack(cell, shard) : cell;",
                        "return (cell >= 0) ? held().pack(cell, shard) : cell;",
                        "an id carries another worker than the lease under which it was claimed"),
                new Fault("a place is set without comparing", KeylessPlaceScene.class, 500, "generator",
                        "KeylessPlace.java", "this.place.compareAndExchange(seen, to)", "seen; this.place.set(to)",
                        "the place has moved down"),
                new Fault("the last tick is read before the end of the lease", CloseWithRenewalScene.class, 500,
                        "generator", "Engine.java", "letGo(); return lastTick();",
                        "long last = lastTick(); letGo(); return last;", "an id is later than the end"),
                new Fault("callers hear of the end when the lease was given back", CallerAtTheEndScene.class, 500,
                        "generator", "Engine.java", "this.waits.end(); try { this.source.close();",
                        "try { this.source.close(); this.waits.end();",
                        "a caller would wait while the lease is given back"),
                new Fault("the lease ends before the standstill begins", StandstillWithRenewalScene.class, 500,
                        "generator", "Engine.java", "this.suspended = true; letGo(); }",
                        "letGo(); } this.suspended = true;", "an engine that stands still makes an id"),
                new Fault("the wish of a closed user stays", ClosedUserScene.class, 500, "generator",
                        "EngineHandle.java", "!this.closed || !this.suspended.compareAndSet(true, false)",
                        "!this.closed || true", "a user that has left stops the engine of another one"),
                new Fault("users are counted before the wish", LastUserScene.class, 500, "generator",
                        "EngineRegistry.java",
                        "int wanting = this.suspended.incrementAndGet(); int all = this.users.get();",
                        "int all = this.users.get(); int wanting = this.suspended.incrementAndGet();",
                        "all users want a standstill, and the engine goes on"),
                new Fault("a wish is counted in two steps", BothUsersScene.class, 500, "generator",
                        "EngineRegistry.java", "int wanting = this.suspended.incrementAndGet();",
                        "int wanting = this.suspended.get() + 1; this.suspended.set(wanting);",
                        "all users want a standstill, and the engine goes on"),
                new Fault("nobody asks again after the standstill", ResumedUserScene.class, 1000, "generator",
                        "EngineRegistry.java", "if (allWantStandstill()) { return; } goOn(engine);", "return;",
                        "a user goes on, and the engine stands still"),
                new Fault("a user goes on without asking again", ResumedAgainScene.class, 500, "generator",
                        "EngineRegistry.java", "goOn(engine); standStillIfAllWant(engine);", "goOn(engine);",
                        "all users want a standstill, and the engine goes on"),
                new Fault("a lease is handed on without the lock", LateRenewalScene.class, 500, "generator",
                        "internal/lease/EndableHolder.java", "private synchronized void pass", "private void pass",
                        "a lease came after the end"),
                new Fault("an engine is entered in two steps", EnteringUserScene.class, 500, "generator",
                        "EngineRegistry.java", "return this.users.getAndUpdate((now) -> now > 0 ? now + 1 : now) > 0;",
                        "int now = this.users.get(); if (now > 0) this.users.set(now + 1); return now > 0;",
                        "a user has entered an engine that is closed"),
                new Fault("an engine is entered that has ended", EnteringUserScene.class, 500, "generator",
                        "EngineRegistry.java", "return this.users.getAndUpdate((now) -> now > 0 ? now + 1 : now) > 0;",
                        "return this.users.getAndIncrement() >= 0;", "a user has entered an engine that is closed"));
    }

    @ParameterizedTest
    @MethodSource("scenes")
    void sceneHolds(Class<?> scene) throws ReflectiveOperationException {
        Exploration.explore(scene, SCENES.get(scene));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void faultIsFound(Fault fault) throws Exception {
        fault.assertFound();
    }

    @Test
    void eachSceneFindsAFault() {
        assertThat(faults().map(Fault::scene)).containsAll(SCENES.keySet());
    }

}
