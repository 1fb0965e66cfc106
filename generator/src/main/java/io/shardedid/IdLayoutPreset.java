package io.shardedid;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The presets by the names under which configuration knows them.
 */
enum IdLayoutPreset {

    INSTAGRAM(IdLayout::instagram), INSTAGRAM_EXACT(IdLayout::instagramExact), FLEET(IdLayout::fleet),
    WIDE(IdLayout::wide), DENSE(IdLayout::dense);

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

    static IdLayoutPreset named(String name) {
        return Arrays.stream(values())
            .filter((preset) -> preset.externalName().equals(name))
            .findFirst()
            .orElseThrow(() -> new ShardedIdConfigurationException(
                    "layout preset must be one of %s: shardedid.layout.preset='%s'".formatted(
                            Arrays.stream(values()).map(IdLayoutPreset::externalName).collect(Collectors.joining(", ")),
                            name)));
    }

}
