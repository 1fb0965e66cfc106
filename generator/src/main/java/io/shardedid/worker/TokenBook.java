package io.shardedid.worker;

import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * The tokens that this process has sent lately. A row that shows another one belongs to
 * somebody else, or to a copy of this process. Used by one thread at a time.
 */
final class TokenBook {

    /**
     * Each write is sent only after a read of the row, so older ones cannot come back;
     * forgetting one is safe.
     */
    private static final int REMEMBERED = 64;

    private final Deque<String> sent = new ArrayDeque<>();

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
        return token;
    }

    boolean mine(String token) {
        return this.sent.contains(token);
    }

}
