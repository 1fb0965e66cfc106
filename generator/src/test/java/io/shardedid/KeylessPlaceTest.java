package io.shardedid;

import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KeylessPlaceTest {

    private final KeylessPlace place = new KeylessPlace(1 << 13);

    /** Tick and shard may take 63 bits, so a late place has the highest bit. */
    @Test
    void aPlaceIsAnUnsignedNumber() {
        long early = this.place.at(1L << 48, 8191);
        long late = this.place.at(1L << 49, 7);
        assertThat(late).isNegative();
        this.place.raise(early);

        this.place.raise(late);
        assertThat(this.place.present()).isEqualTo(late);
        assertThat(this.place.tickOf(late)).isEqualTo(1L << 49);

        this.place.raise(early);
        assertThat(this.place.present()).as("only ever moves up").isEqualTo(late);
    }

    /** A thread whose place is the higher one may find that others were quicker. */
    @Test
    void aPlaceIsRaisedHoweverManyRaiseItLessMeanwhile() throws Exception {
        AtomicLong ticks = new AtomicLong();
        AtomicLong lower = new AtomicLong();
        Crowd.platform(4).run((thread) -> {
            for (int i = 0; i < 3_000_000; i++) {
                long mine = this.place.at(ticks.incrementAndGet(), 0);
                this.place.raise(mine);
                if (Long.compareUnsigned(this.place.present(), mine) < 0) {
                    lower.incrementAndGet();
                }
            }
        });

        assertThat(lower).hasValue(0);
    }

}
