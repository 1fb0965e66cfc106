package io.shardedid.sample.dashboard;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLease;
import io.shardedid.spring.actuate.ShardedIdEndpoint.WorkerDescriptor;
import io.shardedid.WorkerLeaseListener;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * The latest things that happened to the lease of this process, newest first. Told by the
 * lease and by looks at the lease table.
 */
@Component
class EventLog implements WorkerLeaseListener {

    private static final int KEPT = 12;

    private final Deque<Event> events = new ArrayDeque<>();

    /** Owners of worker ids that other processes hold; null before the first look. */
    private @Nullable Map<Integer, String> others;

    private final Clock clock = Clock.systemUTC();

    /**
     * Something that happened.
     *
     * @param at when, by this machine's clock
     * @param text what
     * @param times how often in a row
     */
    record Event(Instant at, String text, int times) {
    }

    synchronized void add(String text) {
        Event latest = this.events.peekFirst();
        int times = (latest != null && latest.text().equals(text)) ? this.events.removeFirst().times() + 1 : 1;
        this.events.addFirst(new Event(this.clock.instant().truncatedTo(ChronoUnit.SECONDS), text, times));
        if (this.events.size() > KEPT) {
            this.events.removeLast();
        }
    }

    /**
     * Announces the processes that came and went since the workers were last looked at.
     * The first look announces nobody, because nobody knows how long they have been
     * there.
     * @param workers all worker ids; empty if they are not known, which announces nobody
     */
    synchronized void observe(List<WorkerDescriptor> workers) {
        if (workers.isEmpty()) {
            return;
        }
        Map<Integer, String> now = new TreeMap<>();
        workers.stream()
            .filter((worker) -> !worker.mine() && worker.state().equals("held"))
            .forEach((worker) -> now.put(worker.workerId(), worker.owner()));
        Map<Integer, String> before = this.others;
        this.others = now;
        if (before == null) {
            return;
        }
        before.forEach((worker, owner) -> {
            if (!now.containsKey(worker)) {
                add("Worker id %s was given back by %s.".formatted(worker, owner));
            }
        });
        now.forEach((worker, owner) -> {
            if (!owner.equals(before.get(worker))) {
                add("Another process joined with worker id %s: %s.".formatted(worker, owner));
            }
        });
    }

    synchronized List<Event> newestFirst() {
        return List.copyOf(this.events);
    }

    @Override
    public void leased(WorkerLease lease) {
        add("Worker id %s is leased.".formatted(lease.worker()));
    }

    @Override
    public void renewalFailed(Exception cause) {
        add("The lease table did not answer; trying again. Ids go on while the lease lasts.");
    }

    @Override
    public void lost(int worker, String why) {
        add("Worker id %s was lost: %s. No id was made twice.".formatted(worker, why));
    }

    @Override
    public void waiting(List<WorkerHolding> holders) {
        add("Every worker id is taken; waiting for one.");
    }

    @Override
    public void skewed(Duration databaseAhead) {
        add("The clock of the database is %s s %s the one that ids go by; ids go on."
            .formatted(databaseAhead.abs().toSeconds(), databaseAhead.isNegative() ? "behind" : "ahead of"));
    }

}
