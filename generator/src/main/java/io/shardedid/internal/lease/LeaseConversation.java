package io.shardedid.internal.lease;

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
    private void advance(LeaseDialogue dialogue) {
        long sentNanos = this.time.nanoTime();
        LeaseStatement statement = dialogue.next(sentNanos);
        if (statement != null) {
            dialogue.sending();
            LeaseReply reply = this.store.execute(statement);
            dialogue.reply(reply, sentNanos, this.time.nanoTime());
        }
        else if (!dialogue.ended()) {
            park(dialogue.dueNanos() - sentNanos);
        }
    }

    /**
     * Advances until the dialogue has ended, for a limited time but some turns at least:
     * on a busy machine, what came before may have taken all of the time.
     * @param turns how many at least
     * @param deadline of the monotonic clock
     * @return whether the dialogue has ended; an interrupt of this thread ends the turns
     */
    boolean end(LeaseDialogue dialogue, int turns, long deadline) {
        for (int turn = 0; !dialogue.ended() && !Thread.currentThread().isInterrupted()
                && (turn < turns || this.time.nanoTime() - deadline < 0); turn++) {
            advance(dialogue);
        }
        return dialogue.ended();
    }

    private void park(long nanos) {
        if (nanos > 0) {
            this.time.park(Math.min(nanos, LONGEST_PARK_NANOS));
        }
    }

}
