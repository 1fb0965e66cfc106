package io.shardedid.internal.lease;

import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The tokens that this process has sent lately. A row that shows another one belongs to
 * another process, or to a copy of this process. Used by one thread at a time.
 */
final class TokenBook {

    /**
     * Each write is sent only after a read of the row, so older ones cannot come back;
     * forgetting one is safe.
     */
    private static final int REMEMBERED = 64;

    /**
     * How many of the writes since the last confirmed one are not forgotten: a commit
     * that waits for a standby keeps its row from all that are sent after it, and may
     * come hours later.
     */
    private static final int FIRST_UNCONFIRMED = 8;

    private final Deque<String> sent = new ArrayDeque<>();

    private final List<String> firstUnconfirmed = new ArrayList<>();

    private @Nullable String confirmed;

    private final Supplier<String> source;

    TokenBook(Supplier<String> source) {
        this.source = source;
    }

    /**
     * Makes a source of tokens that no copy of this process shares, if it is made after
     * the process went on: a generator that was kept, as {@link UUID#randomUUID()} keeps
     * one, is a part of every copy.
     */
    static Supplier<String> freshSource() {
        SecureRandom random = new SecureRandom();
        return () -> new UUID(random.nextLong(), random.nextLong()).toString();
    }

    String fresh() {
        String token = this.source.get();
        if (this.sent.size() == REMEMBERED) {
            this.sent.removeFirst();
        }
        this.sent.addLast(token);
        if (this.firstUnconfirmed.size() < FIRST_UNCONFIRMED) {
            this.firstUnconfirmed.add(token);
        }
        return token;
    }

    /**
     * A write was confirmed, so none that was sent before it waits any more. The row
     * shows its token for as long as all others fail.
     */
    void confirmed(String token) {
        this.confirmed = token;
        this.firstUnconfirmed.clear();
    }

    boolean mine(String token) {
        return this.sent.contains(token) || this.firstUnconfirmed.contains(token) || token.equals(this.confirmed);
    }

}
