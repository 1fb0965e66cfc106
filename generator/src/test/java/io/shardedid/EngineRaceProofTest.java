package io.shardedid;

import org.junit.jupiter.api.Tag;

/**
 * The same races, ten times as often.
 */
@Tag("proof")
@Tag("nightly")
class EngineRaceProofTest extends EngineRaceTest {

    @Override
    int rounds() {
        return 100_000;
    }

}
