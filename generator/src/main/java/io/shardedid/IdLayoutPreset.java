package io.shardedid;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * The presets by the names under which configuration knows them: our own, and those of
 * two systems whose ids can be continued.
 *
 * <p>
 * Where another system counts time with the sign bit, the layout here has one time bit
 * less: such ids are read until they would turn negative, decades after its epoch.
 */
enum IdLayoutPreset {

    STANDARD(IdLayout::standard), MANY_SHARDS(IdLayout::manyShards), MANY_PROCESSES(IdLayout::manyProcesses),
    INSTAGRAM_EXACT(IdLayout::instagramExact), DENSE(IdLayout::dense), JAVASCRIPT(IdLayout::javascript),
    SNOWFLAKE(IdLayout::snowflake), SONYFLAKE(IdLayout::sonyflake);

    private final Supplier<IdLayout> layout;

    IdLayoutPreset(Supplier<IdLayout> layout) {
        this.layout = layout;
    }

    IdLayout layout() {
        return this.layout.get();
    }

    String externalName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static List<String> names() {
        return Arrays.stream(values()).map(IdLayoutPreset::externalName).toList();
    }

    static IdLayoutPreset named(String name) {
        return Arrays.stream(values())
            .filter((preset) -> preset.externalName().equals(name))
            .findFirst()
            .orElseThrow(() -> unknown(name));
    }

    private static ShardedIdConfigurationException unknown(String name) {
        return new ShardedIdConfigurationException(
                "layout preset must be one of %s: shardedid.layout.preset='%s'".formatted(String.join(", ", names()),
                        name),
                name.equals("instagram")
                        ? "write 'many-shards' for 8,192 shards and several writers, or 'instagram-exact' for "
                                + "Instagram's own bits and one writer"
                        : null,
                "shardedid.layout.preset");
    }

}
