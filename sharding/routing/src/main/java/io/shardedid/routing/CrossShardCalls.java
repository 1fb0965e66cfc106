package io.shardedid.routing;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The places in the application whose transactions touched a second shard. Each place is
 * logged once, and at most {@value #LIMIT} of them are kept. Thread-safe.
 */
final class CrossShardCalls {

    /** A program has fewer places; beyond this one, transactions are only counted. */
    static final int LIMIT = 1000;

    private static final Log LOG = LogFactory.getLog(CrossShardCalls.class);

    /** Frames of these packages are not the application's. */
    private static final List<String> LIBRARIES = List.of("java.", "javax.", "jdk.", "sun.", "com.sun.", "jakarta.",
            "org.springframework.", "org.hibernate.", "org.aopalliance.", "org.aspectj.", "com.zaxxer.",
            "io.shardedid.routing.", "io.shardedid.hibernate.", "io.shardedid.spring.", "io.micrometer.", "org.junit.",
            "org.apache.");

    private final Map<String, LongAdder> sites = new ConcurrentHashMap<>();

    private final LongAdder total = new LongAdder();

    /** Counts a transaction. */
    void count() {
        this.total.increment();
    }

    /**
     * Counts a transaction and logs it if its place is new.
     * @param what what to say of it; asked only then
     */
    void add(Supplier<String> what) {
        count();
        String site = site();
        LongAdder known = this.sites.get(site);
        if (known == null) {
            if (this.sites.size() >= LIMIT) {
                return;
            }
            LongAdder mine = new LongAdder();
            known = this.sites.putIfAbsent(site, mine);
            if (known == null) {
                known = mine;
                LOG.warn("%s; call site: %s (each call site is named once)".formatted(what.get(), site));
            }
        }
        known.increment();
    }

    /** Returns how many transactions touched a second shard. */
    long total() {
        return this.total.sum();
    }

    /** Returns the places, the one with the most transactions first. */
    List<CallSite> sites() {
        return this.sites.entrySet()
            .stream()
            .map((entry) -> new CallSite(entry.getKey(), entry.getValue().sum()))
            .sorted(Comparator.comparingLong(CallSite::transactions).reversed().thenComparing(CallSite::at))
            .toList();
    }

    /** Returns the innermost frame of the application on the stack of this thread. */
    static String site() {
        return StackWalker.getInstance()
            .walk((frames) -> frames.filter((frame) -> isApplication(frame.getClassName()))
                .findFirst()
                .map((frame) -> frame.toStackTraceElement().toString()))
            .orElse("unknown");
    }

    private static boolean isApplication(String type) {
        return !type.contains("$$") && !type.contains("$Proxy") && !type.contains("$HibernateProxy")
                && LIBRARIES.stream().noneMatch(type::startsWith);
    }

    /**
     * A place in the application.
     *
     * @param at class, method, file and line
     * @param transactions how many transactions touched a second shard there
     */
    record CallSite(String at, long transactions) {
    }

}
