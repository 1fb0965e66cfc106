package io.shardedid.sample.id;

import java.time.Instant;
import java.util.List;

import io.shardedid.IdParts;
import io.shardedid.jackson.JsonShardedId;
import org.jspecify.annotations.Nullable;

/**
 * What an id says, for the page and for JSON.
 *
 * @param id the id; a string in JSON
 * @param hex the same 64 bits in hexadecimal
 * @param base62 the same 64 bits as eleven digits and letters
 * @param parts what the bits mean; null for an id that no layout makes
 * @param fields the bits, field by field
 * @param problems why the bits may mean nothing; empty for an id made here
 * @param row the row that has the id, if there is one
 * @param elsewhere the same moment, shard and worker id as other systems would write them
 * @param layout the layout that read the id
 */
record IdView(@JsonShardedId long id, String hex, String base62, @Nullable IdParts parts, List<BitField> fields,
        List<String> problems, @Nullable Row row, List<OtherForm> elsewhere, Layout layout) {

    /**
     * The row that has an id.
     *
     * @param kind what it is
     * @param name what it is called
     * @param page where it is shown
     */
    record Row(String kind, String name, String page) {
    }

    /**
     * An id in the form of another system.
     *
     * @param system whose form
     * @param id the id in that form, as text
     * @param form what stands where
     */
    record OtherForm(String system, String id, String form) {
    }

    /**
     * What the layout in use allows.
     *
     * @param fields the fields and their widths
     * @param epoch the instant of tick 0
     * @param ends the last usable instant
     * @param shards logical shards in use
     * @param workers how many worker ids there are
     * @param perTick ids of one shard and one worker id in one tick
     * @param usedPercent how much of its time is over
     */
    record Layout(String fields, Instant epoch, Instant ends, int shards, long workers, long perTick,
            double usedPercent) {
    }

}
