package io.shardedid.hibernate;

import org.junit.jupiter.api.Tag;

/**
 * With a million rows, half of them photos and half of them remarks. Prints how long each
 * step takes.
 */
@Tag("proof")
class MillionRowAdoptionIT extends AdoptionContract {

    @Override
    int rows() {
        return 500_000;
    }

}
