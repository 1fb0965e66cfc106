package io.shardedid.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

import io.shardedid.IdLayout;
import io.shardedid.ShardFunction;

/**
 * The blocks of the pages that need this module, as they are pasted.
 */
final class DatabaseIdsPage {

    private DatabaseIdsPage() {
    }

    static void triggers() throws IOException {
        // @formatter:off
        var ids = new DatabaseIds(IdLayout.standard(), 2000, ShardFunction.modulo(), Duration.ofSeconds(1), Duration.ofSeconds(5));
        Files.writeString(Path.of("V7__shardedid.sql"), ids.script("",
                IdTrigger.keyed("photo", "id", KeyKind.SHARDED_ID, "author_id"),
                IdTrigger.keyed("likes", "id", KeyKind.NUMBER, "user_id"),
                IdTrigger.keyless("users", "id")));
        // @formatter:on
    }

    static String schema() {
        // @formatter:off
        IdLayout layout = IdLayout.instagramExact().toBuilder().epoch(Instant.ofEpochMilli(1314220021721L)).build();
        String script = new DatabaseIds(layout, 2000, ShardFunction.modulo(), Duration.ofSeconds(1), Duration.ofSeconds(5))
            .shardSchema("insta5", 5);
        // @formatter:on
        return script;
    }

}
