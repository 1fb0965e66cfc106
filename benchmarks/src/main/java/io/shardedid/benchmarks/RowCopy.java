package io.shardedid.benchmarks;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;

import org.postgresql.PGConnection;
import org.postgresql.copy.PGCopyOutputStream;

/**
 * Rows for COPY in its binary format.
 */
final class RowCopy implements AutoCloseable {

    private static final long EPOCH_MICROS = Instant.parse("2000-01-01T00:00:00Z").getEpochSecond() * 1_000_000;

    private final DataOutputStream out;

    private final int columns;

    RowCopy(Connection connection, String table, int columns) throws SQLException, IOException {
        this.columns = columns;
        this.out = new DataOutputStream(
                new BufferedOutputStream(new PGCopyOutputStream(connection.unwrap(PGConnection.class),
                        "COPY %s FROM STDIN (FORMAT binary)".formatted(table)), 1 << 16));
        this.out.write("PGCOPY\n\377\r\n\0".getBytes(StandardCharsets.ISO_8859_1));
        this.out.writeInt(0);
        this.out.writeInt(0);
    }

    /** Begins a row, whose columns follow. */
    RowCopy row() throws IOException {
        this.out.writeShort(this.columns);
        return this;
    }

    RowCopy number(long value) throws IOException {
        this.out.writeInt(Long.BYTES);
        this.out.writeLong(value);
        return this;
    }

    /** Writes a number or a UUID. */
    RowCopy key(Object id) throws IOException {
        if (id instanceof UUID uuid) {
            this.out.writeInt(2 * Long.BYTES);
            this.out.writeLong(uuid.getMostSignificantBits());
            this.out.writeLong(uuid.getLeastSignificantBits());
            return this;
        }
        return number((Long) id);
    }

    RowCopy time(long epochMicros) throws IOException {
        return number(epochMicros - EPOCH_MICROS);
    }

    RowCopy text(String value) throws IOException {
        this.out.writeInt(value.length());
        this.out.write(value.getBytes(StandardCharsets.US_ASCII));
        return this;
    }

    @Override
    public void close() throws IOException {
        this.out.writeShort(-1);
        this.out.close();
    }

}
