package io.shardedid.move;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Reads the messages of PostgreSQL's output plugin pgoutput, in its version 1, as far as
 * they say which rows a transaction has inserted, updated or deleted. Not thread-safe.
 */
final class PgOutput {

    /* https://www.postgresql.org/docs/current/protocol-logicalrep-message-formats.html */

    static final int VERSION = 1;

    private static final byte RELATION = 'R';

    private static final byte INSERT = 'I';

    private static final byte UPDATE = 'U';

    private static final byte DELETE = 'D';

    private static final byte NEW_ROW = 'N';

    private static final byte NULL = 'n';

    private static final byte UNCHANGED = 'u';

    private static final int TYPE_AND_MODIFIER = 8;

    /** The columns of which the listener hears, by the names of their tables. */
    private final Map<String, List<String>> wanted;

    private final Listener listener;

    private final Map<Integer, Relation> relations = new HashMap<>();

    PgOutput(Map<String, List<String>> wanted, Listener listener) {
        this.wanted = wanted;
        this.listener = listener;
    }

    /** Reads one message. */
    void read(ByteBuffer message) {
        byte type = message.get();
        if (type == RELATION) {
            Relation relation = relation(message);
            this.relations.put(relation.oid, relation);
        }
        else if (type == INSERT || type == UPDATE || type == DELETE) {
            Relation relation = this.relations.get(message.getInt());
            if (relation == null) {
                throw new IllegalStateException("A row came before its table");
            }
            // an update has the row as it was, too, if its key has changed
            byte row;
            do {
                row = message.get();
                row(relation, message);
            }
            while (type == UPDATE && row != NEW_ROW);
        }
    }

    private Relation relation(ByteBuffer message) {
        int oid = message.getInt();
        String name = text(message) + "." + text(message);
        message.get();
        List<String> columns = this.wanted.getOrDefault(name, List.of());
        int[] places = new int[message.getShort()];
        for (int at = 0; at < places.length; at++) {
            message.get();
            places[at] = columns.indexOf(text(message));
            message.position(message.position() + TYPE_AND_MODIFIER);
        }
        return new Relation(oid, name, places, columns.size());
    }

    private void row(Relation relation, ByteBuffer message) {
        @Nullable String[] values = new @Nullable String[relation.wanted];
        int columns = message.getShort();
        for (int at = 0; at < columns; at++) {
            byte kind = message.get();
            if (kind != NULL && kind != UNCHANGED) {
                int length = message.getInt();
                if (relation.places[at] >= 0) {
                    byte[] text = new byte[length];
                    message.get(text);
                    values[relation.places[at]] = new String(text, StandardCharsets.UTF_8);
                }
                else {
                    message.position(message.position() + length);
                }
            }
        }
        if (relation.wanted > 0) {
            this.listener.row(relation.name, values);
        }
    }

    private static String text(ByteBuffer message) {
        int from = message.position();
        while (message.get() != 0) {
            // up to its end
        }
        byte[] text = new byte[message.position() - 1 - from];
        message.get(from, text);
        return new String(text, StandardCharsets.UTF_8);
    }

    /**
     * What the server has told of a table.
     *
     * @param oid its number
     * @param name its name with its schema
     * @param places for each column the place among those that are wanted, or -1
     * @param wanted how many columns are wanted
     */
    private record Relation(int oid, String name, int[] places, int wanted) {
    }

    /** Hears of rows. */
    @FunctionalInterface
    interface Listener {

        /**
         * A row was inserted, updated or deleted.
         * @param table the table with its schema
         * @param values the wanted columns, null where the message has none
         */
        void row(String table, @Nullable String[] values);

    }

}
