package io.shardedid;

import io.shardedid.interleavings.Scene;

/** Two callers raise the place of ids without a key, which only moves up. */
public class KeylessPlaceScene extends Scene {

    private KeylessPlace place;

    private long low;

    private long high;

    private long seen;

    @Override
    protected void begin() {
        this.place = new KeylessPlace(4);
        this.low = this.place.at(1000, 1);
        this.high = this.place.at(1000, 3);
    }

    @Override
    protected void first() {
        this.place.raise(this.low);
        this.seen = this.place.present();
    }

    @Override
    protected void second() {
        this.place.raise(this.high);
    }

    @Override
    protected void end() {
        check(this.seen >= this.low, "an id could come from below a place that was raised");
        check(this.place.present() == this.high, "the place has moved down");
    }

}
