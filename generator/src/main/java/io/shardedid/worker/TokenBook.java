package io.shardedid.worker;

import java.util.ArrayDeque;
import java.util.Deque;
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
