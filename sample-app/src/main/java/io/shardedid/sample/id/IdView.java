package io.shardedid.sample.id;

import java.time.Instant;
import java.util.List;

import io.shardedid.IdParts;
import org.jspecify.annotations.Nullable;

/**
 * What an id says, for the page and for JSON.
 *
 * @param id the id, as text
 * @param hex the same 64 bits in hexadecimal
 * @param base62 the same 64 bits as eleven digits and letters
 * @param parts what the bits mean; null for an id that no layout makes
 * @param fields the bits, field by field
 * @param problems why the bits may mean nothing; empty for an id made here
 * @param row the row that has the id, if there is one
 * @param elsewhere the same moment, shard and process as other systems would write them
 * @param layout the layout that read the id
 */
record IdView(String id, String hex, String base62, @Nullable IdParts parts, List<BitField> fields,
        List<String> problems, @Nullable Row row, List<OtherForm> elsewhere, Layout layout) {

    /**
     * The row that has an id.
     *
     * @param kind what it is
     * @param name what it is called
     * @param page where it is shown
     * @param database the database in which it lives; null if there is only one
     */
    record Row(String kind, String name, String page, @Nullable String database) {
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
     * @param workers processes that can make ids at once
     * @param perTick ids of one shard and one process in one tick
     * @param spentPercent how much of its time is over
     */
    record Layout(String fields, Instant epoch, Instant ends, int shards, long workers, long perTick,
            double spentPercent) {
    }

}
