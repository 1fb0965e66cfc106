package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class EngineRegistryTest {

    private final EngineRegistry registry = new EngineRegistry();

    private final SettableTime time = SettableTime.at(EngineRig.NOW);

    private final EngineTerms terms = terms(IdLayout.standard(), 2000);

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        this.threads.shutdownNow();
    }

    private EngineTerms terms(IdLayout layout, int shards) {
        return new EngineTerms(layout, shards, "modulo", Duration.ofSeconds(1), Duration.ofSeconds(5), null, this.time);
    }

    private ScriptedLeases leases(EngineTerms terms) {
        ScriptedLeases leases = new ScriptedLeases("fixed:7");
        return leases.onStart(() -> leases.holder().hold(ScriptedLeases.endlessLease(7, terms)));
    }

    private EngineHandle join(EngineTerms terms, LeaseSource source) {
        return this.registry.join(terms, ShardFunction.modulo(), source);
    }

    @Test
    void usersOfOneIdentityShareAnEngineAndTheLastClosesIt() {
        ScriptedLeases first = leases(this.terms);
        ScriptedLeases second = leases(terms(IdLayout.standard(), 2000));

        EngineHandle one = join(this.terms, first);
        EngineHandle two = join(terms(IdLayout.standard(), 2000), second);

        assertThat(one.engine()).isSameAs(two.engine());
        assertThat(second.holder()).as("never started").isNull();
        assertThat(second.closes()).isOne();
        one.close();
        one.close();
        assertThat(first.closes()).as("still used").isZero();
        assertThat(two.engine().numbers().tryNext(1)).isPositive();
        two.close();
        assertThat(first.closes()).isOne();
        assertThat(two.engine().numbers().tryNext(1)).isEqualTo(CellClaims.NO_LEASE);
    }

    @Test
    void listsWhatItsUsersHaveUntilEachOfThemCloses() {
        ShardedIdEngine one = opened();
        ShardedIdEngine two = opened();

        assertThat(this.registry.handles()).containsExactly(one, two);
        assertThat(one.leaseSource()).isSameAs(two.leaseSource());
        one.close();
        one.close();
        assertThat(this.registry.handles()).containsExactly(two);
        two.close();
        assertThat(this.registry.handles()).isEmpty();
    }

    private ShardedIdEngine opened() {
        return ShardedIds.builder().registry(this.registry).timeSource(this.time).workers(leases(this.terms)).open();
    }

    @Test
    void usersOfDifferentIdentitiesDoNotShare() {
        EngineHandle one = join(this.terms, new ScriptedLeases("fixed:1"));
        EngineHandle two = join(this.terms, new ScriptedLeases("fixed:2"));

        assertThat(one.engine()).isNotSameAs(two.engine());
    }

    @Test
    void sourceThatLeasesElsewhereGetsAnEngineOfItsOwnUnderTheSameName() {
        Set<LeaseSource> copy = new HashSet<>();
        List<ScriptedLeases> sources = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            ScriptedLeases leases = leases(this.terms)
                .sharing((mine, other) -> copy.contains(mine) == copy.contains(other));
            sources.add(leases);
            if (i % 2 == 1) {
                copy.add(leases);
            }
        }

        List<EngineHandle> users = sources.stream().map((leases) -> join(this.terms, leases)).toList();

        assertThat(users.get(0).engine()).isNotSameAs(users.get(1).engine());
        assertThat(users.get(2).engine()).isSameAs(users.get(4).engine()).isSameAs(users.get(0).engine());
        assertThat(users.get(3).engine()).isSameAs(users.get(5).engine()).isSameAs(users.get(1).engine());
        assertThat(sources).extracting(ScriptedLeases::closes).containsExactly(0, 0, 1, 1, 1, 1);
        long id = users.get(0).engine().numbers().tryNext(1);
        for (int i = 0; i < 6; i += 2) {
            users.get(i).close();
        }
        assertThat(sources).extracting(ScriptedLeases::closes).containsExactly(1, 0, 1, 1, 1, 1);
        this.time.stepWall(Duration.ofMillis(-500));
        ScriptedLeases again = leases(this.terms);
        assertThat(join(this.terms, again).engine().numbers().tryNext(1)).isGreaterThan(id);
        assertThat(again.closes()).as("opened behind the one that ended").isZero();
    }

    @Test
    void otherTermsOfAnotherPlaceAreNobodysBusiness() {
        join(this.terms, leases(this.terms).sharing((mine, other) -> false));

        EngineHandle two = join(terms(IdLayout.standard(), 1000), leases(this.terms));

        assertThat(two.engine().numbers().tryNext(1)).isPositive();
    }

    @Test
    void whoCannotFindOutWhereTheEngineLeasesDoesNotJoinIt() {
        ScriptedLeases first = leases(this.terms).sharing((mine, other) -> {
            throw new WorkerLeaseException("Could not join");
        });
        EngineHandle one = join(this.terms, first);
        ScriptedLeases second = leases(this.terms);

        assertThatThrownBy(() -> join(this.terms, second)).hasMessage("Could not join");

        assertThat(second.closes()).isOne();
        assertThat(second.holder()).as("never started").isNull();
        one.close();
        assertThat(first.closes()).as("nobody else is counted").isOne();
    }

    @Test
    void refusesOtherTermsAndLeavesTheOpenEngineAlone() {
        ScriptedLeases first = leases(this.terms);
        EngineHandle one = join(this.terms, first);
        ScriptedLeases second = leases(this.terms);

        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> join(terms(IdLayout.standard(), 1000), second))
            .withMessageContainingAll("fixed:7", "shards=2000", "shards=1000", "namespace");
        assertThat(second.closes()).isOne();
        assertThat(one.engine().numbers().tryNext(1)).isPositive();
        one.close();
        assertThat(first.closes()).isOne();
    }

    @Test
    void reopenedEngineContinuesAfterTheOneBeforeThoughTheWallClockWasSetBack() {
        EngineHandle one = join(this.terms, leases(this.terms));
        long[] ids = new long[1000];
        one.engine().numbers().next(1, ids);
        one.close();
        this.time.stepWall(Duration.ofMillis(-500));

        EngineHandle two = join(this.terms, leases(this.terms));

        assertThat(two.engine().numbers().tryNext(1)).isGreaterThan(ids[999]);
        assertThat(two.engine().numbers().tryNextKeyless()).isGreaterThan(ids[999]);
    }

    @Test
    void idsOfAnotherLayoutAreLaterThanThoseOfTheEngineBefore() {
        EngineHandle one = join(this.terms, leases(this.terms));
        one.engine().numbers().tryNext(1);
        one.close();
        EngineTerms coarse = terms(IdLayout.builder().tick(Duration.ofMillis(10)).build(), 2000);

        EngineHandle two = join(coarse, leases(coarse));

        assertThat(coarse.layout().instantOf(two.engine().numbers().tryNext(1)))
            .isEqualTo(EngineRig.NOW.plusMillis(10));
    }

    @Test
    void uuidsOfAnotherLayoutAreLaterThanThoseOfTheEngineBefore() {
        EngineHandle one = join(this.terms, leases(this.terms));
        for (int i = 0; i < 3 * 4096; i++) {
            one.engine().uuids().next(1);
        }
        one.close();
        EngineTerms older = terms(IdLayout.builder().epoch(Instant.parse("2020-01-01T00:00:00Z")).build(), 2000);
        EngineHandle two = join(older, leases(older));
        assertThat(older.layout().instantOf(two.engine().numbers().tryNext(1))).isEqualTo(EngineRig.NOW.plusMillis(3));
        two.close();
        EngineTerms fleet = terms(IdLayout.manyShards(), 2000);

        EngineHandle three = join(fleet, leases(fleet));

        assertThat(UuidLayout.instantOf(three.engine().uuids().next(1))).isEqualTo(EngineRig.NOW.plusMillis(4));
    }

    @Test
    void layoutInBetweenDoesNotLetIdsBeForgotten() {
        EngineHandle one = join(this.terms, leases(this.terms));
        long[] ids = new long[1000];
        one.engine().numbers().next(1, ids);
        one.close();
        EngineTerms fleet = terms(IdLayout.manyShards(), 2000);
        join(fleet, leases(fleet)).close();

        EngineHandle three = join(this.terms, leases(this.terms));

        assertThat(three.engine().numbers().tryNext(1)).isGreaterThan(ids[999]);
    }

    @Test
    void copyOfAProcessHasOtherRandomBitsWhenItsSourceGoesOn() {
        List<Long> bits = new ArrayList<>();
        ScriptedLeases leases = leases(this.terms);
        EngineHandle one = join(this.terms, leases);
        UuidMaker uuids = one.engine().uuids();
        // what the copy of a thread draws
        Runnable note = () -> bits.add(uuids.uuid(uuids.held(), 0, 1, 42).getLeastSignificantBits());
        leases.onResume(note);

        note.run();
        one.suspend();
        one.resume();
        leases.onResume(() -> {
        }).sharing((mine, other) -> {
            note.run();
            return true;
        });
        join(this.terms, leases(this.terms));

        assertThat(bits).hasSize(3).doesNotHaveDuplicates();
    }

    @Test
    void engineStandsStillWhenAllOfItsUsersWantThatAndElseSaysThatItGoesOn() {
        EngineHandle one = join(this.terms, leases(this.terms));
        EngineHandle two = join(this.terms, leases(this.terms));
        try (LoggedLines log = new LoggedLines(EngineRegistry.class.getName())) {
            one.suspend();
            one.suspend();
            assertThat(log.lines()).singleElement().asString().contains("WARNING", "fixed:7", "1 of its 2", "suspend");
            assertThat(two.engine().numbers().tryNext(1)).isPositive();

            two.suspend();
            assertThat(log.lines()).hasSize(1);
            assertThat(two.engine().numbers().tryNext(1)).isEqualTo(CellClaims.NO_LEASE);
        }
    }

    @Test
    void engineStandsStillWhenTheLastUserThatDoesNotWantThatLeaves() {
        EngineHandle one = join(this.terms, leases(this.terms));
        EngineHandle two = join(this.terms, leases(this.terms));
        one.suspend();
        two.close();
        assertThat(one.engine().numbers().tryNext(1)).isEqualTo(CellClaims.NO_LEASE);
    }

    @Test
    void whoLeavesDoesNotWakeAnEngineThatStandsStill() {
        ScriptedLeases first = leases(this.terms);
        EngineHandle one = join(this.terms, first);
        EngineHandle two = join(this.terms, leases(this.terms));
        one.suspend();
        two.suspend();
        AtomicInteger resumptions = new AtomicInteger();
        first.onResume(resumptions::incrementAndGet);

        one.close();
        first.holder().hold(ScriptedLeases.endlessLease(7, this.terms));
        assertThat(two.engine().numbers().tryNext(1)).isEqualTo(CellClaims.NO_LEASE);
        assertThat(resumptions).hasValue(0);

        two.resume();
        first.holder().hold(ScriptedLeases.endlessLease(7, this.terms));
        assertThat(two.engine().numbers().tryNext(1)).isPositive();
        assertThat(resumptions).hasValue(1);
    }

    @Test
    void whoHasLeftHasNoSayInWhetherTheEngineStandsStill() {
        EngineHandle one = join(this.terms, leases(this.terms));
        EngineHandle two = join(this.terms, leases(this.terms));
        one.suspend();
        one.close();
        EngineHandle three = join(this.terms, leases(this.terms));

        three.suspend();

        assertThat(two.engine().numbers().tryNext(1)).isPositive();
    }

    @Test
    void whoHasLeftDoesNotSuspendTheEngineOfTheOthers() {
        EngineHandle one = join(this.terms, leases(this.terms));
        EngineHandle two = join(this.terms, leases(this.terms));
        one.close();

        one.suspend();

        assertThat(two.engine().numbers().tryNext(1)).isPositive();
    }

    @Test
    void attemptToJoinThatFailsLeavesASuspendedEngineSuspended() {
        ScriptedLeases first = leases(this.terms);
        EngineHandle one = join(this.terms, first);
        one.suspend();

        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> join(terms(IdLayout.standard(), 1000), leases(this.terms)));
        first.sharing((mine, other) -> {
            throw new WorkerLeaseException("Could not join");
        });
        assertThatThrownBy(() -> join(this.terms, leases(this.terms))).hasMessage("Could not join");

        first.holder().hold(ScriptedLeases.endlessLease(7, this.terms));
        assertThat(one.engine().numbers().tryNext(1)).isEqualTo(CellClaims.NO_LEASE);
    }

    @Test
    void sourceWhoseCloseOverflowsTheStackDoesNotKeepTheNextEngineWaiting() {
        ScriptedLeases overflowing = leases(this.terms).onClose(() -> {
            throw new StackOverflowError();
        });
        EngineHandle one = join(this.terms, overflowing);
        long id = one.engine().numbers().tryNext(1);
        one.close();
        this.time.stepWall(Duration.ofMillis(-500));

        assertThat(join(this.terms, leases(this.terms)).engine().numbers().tryNext(1)).isGreaterThan(id);
    }

    @Test
    void engineThatCannotStartIsClosedAndTheNextAttemptIsFresh() {
        ScriptedLeases failing = new ScriptedLeases("fixed:7").onStart(() -> {
            throw new WorkerLeaseException("All 32 worker ids are leased");
        });

        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> join(this.terms, failing))
            .withMessage("All 32 worker ids are leased");

        assertThat(failing.closes()).isOne();
        assertThat(join(this.terms, leases(this.terms)).engine().numbers().tryNext(1)).isPositive();
    }

    @Test
    void failedAttemptDoesNotForgetTheLastTick() {
        EngineHandle one = join(this.terms, leases(this.terms));
        long id = one.engine().numbers().tryNext(1);
        one.close();
        assertThatThrownBy(() -> join(this.terms, new ScriptedLeases("fixed:7").onStart(() -> {
            throw new WorkerLeaseException("no database");
        }))).hasMessage("no database");
        this.time.stepWall(Duration.ofMillis(-500));

        assertThat(join(this.terms, leases(this.terms)).engine().numbers().tryNext(1)).isGreaterThan(id);
    }

    private ScriptedLeases leased(String identity) {
        ScriptedLeases leases = new ScriptedLeases(identity).keepingItsEnd();
        return leases.onStart(() -> leases.holder().hold(ScriptedLeases.endlessLease(7, this.terms)));
    }

    @Test
    void enginesWhoseStoreKeepsTheirEndAreForgottenButForTheLatest() {
        long id = 0;
        for (int i = 0; i < 3000; i++) {
            EngineHandle handle = join(this.terms, leased("lease:" + i));
            id = handle.engine().numbers().tryNext(1);
            handle.close();
        }

        assertThat(this.registry.size()).isEqualTo(EngineRegistry.ENDS_KEPT);
        this.time.stepWall(Duration.ofMillis(-500));
        assertThat(join(this.terms, leased("lease:2999")).engine().numbers().tryNext(1)).isGreaterThan(id);
    }

    @Test
    void enginesThatMadeNothingAndThoseThatCouldNotStartAreForgotten() {
        for (int i = 0; i < 100; i++) {
            join(this.terms, new ScriptedLeases("fixed:" + i)).close();
            ScriptedLeases failing = new ScriptedLeases("lease:" + i).onStart(() -> {
                throw new WorkerLeaseException("no database");
            });
            assertThatThrownBy(() -> join(this.terms, failing)).hasMessage("no database");
        }

        assertThat(this.registry.size()).isZero();
    }

    @Test
    void engineThatOpensWhileOthersAreForgottenIsFoundByAllWhoCome() throws Exception {
        List<Future<Integer>> users = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            int first = 13 * thread;
            users.add(this.threads.submit(() -> {
                int strangers = 0;
                for (int i = first; i < first + 1000; i++) {
                    String identity = "lease:" + i % 40;
                    EngineHandle one = join(this.terms, leased(identity));
                    EngineHandle two = join(this.terms, leased(identity));
                    strangers += (one.engine() == two.engine()) ? 0 : 1;
                    two.engine().numbers().tryNext(1);
                    one.close();
                    two.close();
                }
                return strangers;
            }));
        }

        for (Future<Integer> user : users) {
            assertThat(user.get(60, TimeUnit.SECONDS)).as("two engines of one identity at once").isZero();
        }
        // each of the others may have forgotten one more than it had to
        assertThat(this.registry.size()).isBetween(EngineRegistry.ENDS_KEPT - 3, EngineRegistry.ENDS_KEPT);
    }

    @Test
    void sourceThatFeedsAnEngineGoesOnWhenItIsOpenedAgain() {
        ScriptedLeases leases = leases(this.terms);
        ShardedIdsBuilder builder = ShardedIds.builder()
            .registry(this.registry)
            .timeSource(this.time)
            .workers(leases.onIdentity(() -> assertThat(leases.holder()).as("asked while it leases").isNull()));
        ShardedIdEngine one = builder.open();
        ShardedIdEngine two = builder.open();

        assertThat(leases.closes()).isZero();
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(builder.shards(1000)::open);
        assertThat(leases.closes()).isZero();
        one.close();
        assertThat(leases.closes()).isZero();
        assertThat(two.next(1)).isPositive();
        two.close();
        assertThat(leases.closes()).isOne();
    }

    @Test
    void engineThatCannotBeConstructedIsNoObstacleLater() {
        EngineTerms impossible = terms(IdLayout.standard(), -1);

        assertThatThrownBy(() -> join(impossible, new ScriptedLeases("fixed:7")))
            .isInstanceOf(NegativeArraySizeException.class);
        assertThat(join(this.terms, leases(this.terms)).engine().numbers().tryNext(1)).isPositive();
    }

    @Test
    void closesASourceThatCannotNameItself() {
        ScriptedLeases nameless = new ScriptedLeases("fixed:70").onIdentity(() -> {
            throw new ShardedIdConfigurationException("worker must be in [0, 31]");
        });

        assertThatThrownBy(() -> join(this.terms, nameless)).hasMessage("worker must be in [0, 31]");
        assertThat(nameless.closes()).isOne();
    }

    @Test
    void whoComesWhileTheFirstOpensWaitsAndSharesItsFailure() throws Exception {
        CountDownLatch opening = new CountDownLatch(1);
        CountDownLatch fail = new CountDownLatch(1);
        ScriptedLeases failing = new ScriptedLeases("fixed:7").onStart(() -> {
            opening.countDown();
            await(fail);
            throw new WorkerLeaseException("no database");
        });
        Future<?> first = this.threads.submit(() -> join(this.terms, failing));
        await(opening);
        List<Future<?>> others = new ArrayList<>();
        List<ScriptedLeases> spare = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            spare.add(leases(this.terms));
            ScriptedLeases mine = spare.get(i);
            others.add(this.threads.submit(() -> join(this.terms, mine)));
        }
        for (ScriptedLeases mine : spare) {
            awaitEntered(mine);
        }
        fail.countDown();

        for (Future<?> user : others) {
            assertFailed(user, "no database");
        }
        assertFailed(first, "no database");
        assertThat(join(this.terms, leases(this.terms)).engine().numbers().tryNext(1)).isPositive();
    }

    @Test
    void whoComesWhileTheLastClosesGetsAFreshEngineAfterIt() throws Exception {
        CountDownLatch closing = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        ScriptedLeases slow = leases(this.terms).onClose(() -> {
            closing.countDown();
            await(goOn);
        });
        EngineHandle one = join(this.terms, slow);
        long id = one.engine().numbers().tryNext(1);
        Future<?> leaving = this.threads.submit(one::close);
        await(closing);
        CountDownLatch started = new CountDownLatch(1);
        ScriptedLeases next = new ScriptedLeases("fixed:7");
        next.onStart(() -> {
            started.countDown();
            next.holder().hold(ScriptedLeases.endlessLease(7, this.terms));
        });
        this.time.stepWall(Duration.ofMillis(-500));
        Future<EngineHandle> coming = this.threads.submit(() -> join(this.terms, next));

        assertThat(started.await(50, TimeUnit.MILLISECONDS)).as("started beside the one that closes").isFalse();
        goOn.countDown();
        leaving.get(10, TimeUnit.SECONDS);
        Engine fresh = coming.get(10, TimeUnit.SECONDS).engine();
        assertThat(fresh).isNotSameAs(one.engine());
        assertThat(fresh.numbers().tryNext(1)).isGreaterThan(id);
    }

    @Test
    void givesUpWaitingForAnotherThreadAndDoesNotDisturbIt() throws Exception {
        CountDownLatch opening = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        ScriptedLeases slow = new ScriptedLeases("fixed:7");
        slow.onStart(() -> {
            opening.countDown();
            await(goOn);
            slow.holder().hold(ScriptedLeases.endlessLease(7, this.terms));
        });
        Future<EngineHandle> first = this.threads.submit(() -> join(this.terms, slow));
        await(opening);

        assertThatExceptionOfType(WorkerLeaseException.class)
            .isThrownBy(() -> join(this.terms, leases(this.terms).startTimeout(Duration.ofMillis(20))))
            .withMessageContainingAll("fixed:7", "waited=20ms");
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(() -> join(this.terms, leases(this.terms)))
            .withMessageContainingAll("fixed:7", "interrupted");
        assertThat(Thread.interrupted()).isTrue();

        goOn.countDown();
        EngineHandle one = first.get(10, TimeUnit.SECONDS);
        assertThat(one.engine().numbers().tryNext(1)).isPositive();
        assertThat(slow.closes()).isZero();
        one.close();
        assertThat(slow.closes()).as("nobody else is counted").isOne();
    }

    @Test
    void manyThreadsThatComeAndGoNeverMakeAnIdTwice() throws Exception {
        int users = 8;
        int rounds = 500;
        IssuedIds issued = new IssuedIds(users, rounds);
        List<Callable<Void>> work = new ArrayList<>();
        for (int i = 0; i < users; i++) {
            int user = i;
            work.add(() -> {
                for (int round = 0; round < rounds; round++) {
                    EngineHandle mine = join(this.terms, leases(this.terms));
                    issued.put(user, round, mine.engine().numbers().next(1));
                    this.time.advance(Duration.ofMillis(1));
                    mine.close();
                }
                return null;
            });
        }
        for (Future<Void> done : this.threads.invokeAll(work)) {
            done.get();
        }

        assertThat(issued.duplicates()).isEmpty();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        }
        catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static void awaitEntered(ScriptedLeases leases) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (leases.patienceAsked() == 0 && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        assertThat(leases.patienceAsked()).isOne();
    }

    private static void assertFailed(Future<?> user, String message) {
        assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> user.get(10, TimeUnit.SECONDS))
            .havingCause()
            .isInstanceOf(WorkerLeaseException.class)
            .withMessageContaining(message);
    }

}
