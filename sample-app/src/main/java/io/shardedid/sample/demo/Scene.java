package io.shardedid.sample.demo;

import java.util.function.Consumer;

/**
 * A motif of the demo photos.
 */
enum Scene {

    HILLS(Painting::hills), SEA(Painting::sea), CITY(Painting::city), PEAKS(Painting::peaks), FOREST(Painting::forest),
    AURORA(Painting::aurora), BALLOONS(Painting::balloons);

    private final Consumer<Painting> brush;

    Scene(Consumer<Painting> brush) {
        this.brush = brush;
    }

    void paint(Painting painting) {
        this.brush.accept(painting);
    }

}
