package io.shardedid.internal.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.shardedid.EngineTerms;
import io.shardedid.IdField;
import io.shardedid.IdLayout;
import io.shardedid.IdLayoutBuilder;
import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdConfigurationException.Problem;
import io.shardedid.WorkerIdRange;
import org.jspecify.annotations.Nullable;

/**
 * The text of the layout row: what all processes of a lease table have in common. A
 * process with another text gets no lease there, and only {@link LeaseChange} writes
 * another text.
 *
 * @param closed whether the row is closed, so that no process gets a lease
 * @param fingerprint layout, number of shards and shard function of the ids
 * @param tolerant whether the processes tolerate lost commits
 * @param workers the worker ids that this table gives out
 */
record LayoutText(boolean closed, String fingerprint, boolean tolerant, WorkerIdRange workers) {

    /** What an operator types; also a page names it. */
    private static final String COMMAND = "java -cp CLASSPATH io.shardedid.cli.Inspector change --config=FILE";

    private static final String CLOSED = "closed:";

    private static final Pattern TEXT = Pattern
        .compile("(" + CLOSED + ")?(.+),mode=(plain|tolerant),workers=(\\d{1,9}-\\d{1,9})");

    /** The text of a process. */
    static LayoutText of(EngineTerms terms, LeaseSettings settings) {
        return new LayoutText(false, terms.fingerprint(), settings.tolerateLostCommits(),
                LeaseRules.of(settings).available(terms.layout()));
    }

    /**
     * Reads the text of a layout row.
     * @throws ShardedIdConfigurationException if it has another form
     */
    static LayoutText parse(@Nullable String text) {
        Matcher parts = TEXT.matcher(String.valueOf(text));
        if (!parts.matches()) {
            throw unread(text, null);
        }
        return new LayoutText(parts.group(1) != null, parts.group(2), parts.group(3).equals("tolerant"),
                WorkerIdRange.parse(parts.group(4)));
    }

    /**
     * The text while this one is replaced by another one: it says the most that either of
     * them may have granted, and gives out what both do.
     */
    LayoutText closingFor(LayoutText next) {
        int first = Math.max(this.workers.first(), next.workers.first());
        int last = Math.min(this.workers.last(), next.workers.last());
        return new LayoutText(true, this.fingerprint, this.tolerant || next.tolerant,
                (first <= last) ? new WorkerIdRange(first, last) : next.workers);
    }

    /** Whether the layout gives out a worker id that the other one gives out, too. */
    boolean overlaps(LayoutText other) {
        return this.workers.first() <= other.workers.last() && other.workers.first() <= this.workers.last();
    }

    /** Whether it gives out all worker ids that the other one gives out. */
    boolean includes(LayoutText other) {
        return this.workers.first() <= other.workers.first() && other.workers.last() <= this.workers.last();
    }

    /**
     * Checks that the layout row says of the table what this text says of a process. Two
     * processes with 1,000 and 2,000 shards would make unique ids and look for one user
     * in two shards.
     * @throws ShardedIdConfigurationException if it says something else
     */
    void checkSame(String namespace, @Nullable String row) {
        if (toString().equals(row)) {
            return;
        }
        LayoutText there = parse(row);
        List<String> keys = new ArrayList<>();
        if (there.tolerant != this.tolerant) {
            keys.add("shardedid.worker.lease.tolerate-lost-commits");
        }
        if (!there.workers.equals(this.workers)) {
            keys.add("shardedid.worker.lease.worker-ids");
        }
        throw new ShardedIdConfigurationException(
                "Could not lease a worker id: the lease table of namespace '%s' %s: here=[%s], there=[%s]".formatted(
                        namespace, there.closed ? "is closed, because it is being changed" : "has other settings", this,
                        there),
                (there.closed ? "wait for the command, or run it again if it was interrupted: "
                        : "give this process the settings of the table, or stop all processes and run: ") + COMMAND,
                there.closed ? new String[0] : keys.toArray(String[]::new));
    }

    /**
     * Whether it gives out all worker ids of its layout, so that no other table has any.
     */
    boolean whole() {
        return this.workers.size() == LeaseRules.workers(layout());
    }

    IdLayout layout() {
        IdLayoutBuilder builder = IdLayout.builder();
        List<IdField> order = new ArrayList<>();
        try {
            for (String part : this.fingerprint.split(",")) {
                String name = part.substring(0, part.indexOf('='));
                String value = part.substring(part.indexOf('=') + 1);
                switch (name) {
                    case "epoch" -> builder.epoch(Instant.parse(value));
                    case "tick" -> builder.tick(Duration.parse(value));
                    case "time" -> builder.timeBits(Integer.parseInt(value));
                    case "shard" -> builder.shardBits(Integer.parseInt(value));
                    case "worker" -> builder.workerBits(Integer.parseInt(value));
                    case "sequence" -> builder.sequenceBits(Integer.parseInt(value));
                    default -> {
                        // the number of shards and their function are no part of the
                        // layout
                    }
                }
                if (name.equals("shard") || name.equals("worker") || name.equals("sequence")) {
                    order.add(IdField.valueOf(name.toUpperCase(Locale.ROOT)));
                }
            }
            return builder.order(order.toArray(IdField[]::new)).build();
        }
        catch (RuntimeException ex) {
            throw unread(this.fingerprint, ex);
        }
    }

    private static ShardedIdConfigurationException unread(@Nullable String text, @Nullable RuntimeException cause) {
        return new ShardedIdConfigurationException(new Problem(
                "Could not read the layout row of a lease table: layout='%s' (another version may have ".formatted(text)
                        + "written it)",
                "take the version that wrote it"), cause);
    }

    /** The form that {@link #parse} reads. */
    @Override
    public String toString() {
        return (this.closed ? CLOSED : "") + "%s,mode=%s,workers=%s".formatted(this.fingerprint,
                this.tolerant ? "tolerant" : "plain", this.workers);
    }

}
