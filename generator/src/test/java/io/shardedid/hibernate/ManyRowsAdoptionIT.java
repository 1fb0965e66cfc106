package io.shardedid.hibernate;

import io.shardedid.tools.ProofLength;
import org.junit.jupiter.api.Tag;

/**
 * With many rows, half of them photos and half of them remarks: 40,000 in each build, and
 * a million with {@code -Dproof.length=long}. Prints how long each step takes.
 */
@Tag("proof")
class ManyRowsAdoptionIT extends AdoptionContract {

    @Override
    int rows() {
        return ProofLength.of(20_000, 500_000);
    }

}
