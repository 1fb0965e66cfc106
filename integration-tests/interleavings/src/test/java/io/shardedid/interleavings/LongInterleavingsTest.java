package io.shardedid.interleavings;

import java.util.Map;
import java.util.stream.Stream;

import io.shardedid.JoiningUserScene;
import io.shardedid.RegistryScene;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * As {@link InterleavingsTest}, for scenes that take a minute each: users of an engine
 * come and go.
 */
@Tag("proof")
@Tag("nightly")
class LongInterleavingsTest {

    private static final Map<Class<?>, Integer> SCENES = Map.of(RegistryScene.class, 200, JoiningUserScene.class, 2000);

    static Stream<Class<?>> scenes() {
        return SCENES.keySet().stream();
    }

    static Stream<Fault> faults() {
        return Stream.of(new Fault("an engine does not wait for the one before", RegistryScene.class, 200, "generator",
                "EngineRegistry.java", "got(this.before, this.source.startTimeout(), \"the one before to close\");", "",
                "an id is not above those of the engine before"),
                new Fault("nobody asks again after the standstill", JoiningUserScene.class, 2000, "generator",
                        "EngineRegistry.java", "if (allWantStandstill()) { return; } goOn(engine);", "return;",
                        "a user has joined, and the engine stands still"));
    }

    @ParameterizedTest
    @MethodSource("scenes")
    void sceneHolds(Class<?> scene) throws ReflectiveOperationException {
        Exploration.explore(scene, SCENES.get(scene));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void faultIsFound(Fault fault) throws Exception {
        fault.assertFound();
    }

}
