package io.shardedid.move;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** {@code MoveVariantsIT} reads the messages of real servers. */
class PgOutputTest {

    private static final int PHOTO = 16_400;

    private final List<String> heard = new ArrayList<>();

    private final PgOutput output = new PgOutput(Map.of("public.größe", List.of("id", "user_id")),
            (table, values) -> this.heard.add(table + Arrays.asList(values)));

    private void read(Message message) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        message.write(new DataOutputStream(bytes));
        // a buffer of the driver may begin anywhere in its array
        ByteBuffer buffer = ByteBuffer.allocate(bytes.size() + 3);
        buffer.position(3);
        this.output.read(buffer.slice().put(bytes.toByteArray()).flip());
    }

    private void readTable(int oid, String table, String... columns) throws IOException {
        read((out) -> {
            out.writeByte('R');
            out.writeInt(oid);
            text(out, "public");
            text(out, table);
            out.writeByte('d');
            out.writeShort(columns.length);
            for (String column : columns) {
                out.writeByte(1);
                text(out, column);
                out.writeInt(20);
                out.writeInt(-1);
            }
        });
    }

    private static void text(DataOutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.writeByte(0);
    }

    /** Null is no value; an empty text stands for a value that has not changed. */
    private static void row(DataOutputStream out, char kind, @Nullable String... values) throws IOException {
        out.writeByte(kind);
        out.writeShort(values.length);
        for (String value : values) {
            if (value == null) {
                out.writeByte('n');
            }
            else if (value.isEmpty()) {
                out.writeByte('u');
            }
            else {
                byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
                out.writeByte('t');
                out.writeInt(bytes.length);
                out.write(bytes);
            }
        }
    }

    private void readPhotos() throws IOException {
        readTable(PHOTO, "größe", "caption", "user_id", "id");
    }

    @Test
    void saysWhichRowIsNew() throws IOException {
        readPhotos();
        read((out) -> {
            out.writeByte('I');
            out.writeInt(PHOTO);
            row(out, 'N', "ein Weiher", "5", "8388608");
        });
        assertThat(this.heard).containsExactly("public.größe[8388608, 5]");
    }

    @Test
    void saysWhichRowHasChanged() throws IOException {
        readPhotos();
        read((out) -> {
            out.writeByte('U');
            out.writeInt(PHOTO);
            row(out, 'N', "", null, "8388608");
        });
        assertThat(this.heard).containsExactly("public.größe[8388608, null]");
    }

    @Test
    void saysBothIdsOfARowWhoseIdHasChanged() throws IOException {
        readPhotos();
        for (char before : new char[] { 'K', 'O' }) {
            read((out) -> {
                out.writeByte('U');
                out.writeInt(PHOTO);
                row(out, before, null, null, "1");
                row(out, 'N', "a lake", "5", "2");
            });
        }
        assertThat(this.heard).containsExactly("public.größe[1, null]", "public.größe[2, 5]", "public.größe[1, null]",
                "public.größe[2, 5]");
    }

    @Test
    void saysWhichRowIsGone() throws IOException {
        readPhotos();
        read((out) -> {
            out.writeByte('D');
            out.writeInt(PHOTO);
            row(out, 'K', null, null, "-1");
        });
        assertThat(this.heard).containsExactly("public.größe[-1, null]");
    }

    @Test
    void leavesOtherTablesAndMessagesAlone() throws IOException {
        readTable(7, "audit", "id");
        read((out) -> {
            out.writeByte('I');
            out.writeInt(7);
            row(out, 'N', "1");
        });
        for (char other : "BCOYT".toCharArray()) {
            read((out) -> {
                out.writeByte(other);
                out.writeLong(PHOTO);
            });
        }
        assertThat(this.heard).isEmpty();
    }

    /** A table whose columns change is told anew. */
    @Test
    void goesByTheLastWordAboutATable() throws IOException {
        readPhotos();
        readTable(PHOTO, "größe", "id");
        read((out) -> {
            out.writeByte('D');
            out.writeInt(PHOTO);
            row(out, 'K', "3");
        });
        assertThat(this.heard).containsExactly("public.größe[3, null]");
    }

    @Test
    void refusesARowBeforeItsTable() {
        assertThatIllegalStateException().isThrownBy(() -> read((out) -> {
            out.writeByte('D');
            out.writeInt(PHOTO);
            row(out, 'K', "1");
        })).withMessage("A row came before its table");
    }

    /** Writes what a server sends. */
    @FunctionalInterface
    private interface Message {

        void write(DataOutputStream out) throws IOException;

    }

}
