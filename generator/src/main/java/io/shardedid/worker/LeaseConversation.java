package io.shardedid.worker;

import io.shardedid.TimeSource;

/**
 * Carries a dialogue's statements to the store and the replies back, and waits in
 * between. The waiting ends early when the thread is unparked.
 */
final class LeaseConversation {

    private static final long LONGEST_PARK_NANOS = 1_000_000_000;

    private final LeaseStore store;

    private final TimeSource time;

    LeaseConversation(LeaseStore store, TimeSource time) {
        this.store = store;
        this.time = time;
    }

    /** Sends one statement, or waits until there is one to send, a second at most. */
    void advance(LeaseDialogue dialogue) {
        long t0 = this.time.nanoTime();
        LeaseStatement statement = dialogue.next(t0);
        if (statement != null) {
            dialogue.sending();
            LeaseReply reply = this.store.execute(statement);
            dialogue.reply(reply, t0, this.time.nanoTime());
        }
        else if (!dialogue.ended()) {
            park(dialogue.dueNanos() - t0);
        }
    }

    void park(long nanos) {
        if (nanos > 0) {
            this.time.park(Math.min(nanos, LONGEST_PARK_NANOS));
        }
    }

}
