package io.shardedid.hibernate;

import org.junit.jupiter.api.Tag;

/** With few rows. */
@Tag("database")
class AdoptionIT extends AdoptionContract {

    @Override
    int rows() {
        return 500;
    }

}
