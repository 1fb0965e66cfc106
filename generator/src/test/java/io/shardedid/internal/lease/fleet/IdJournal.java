package io.shardedid.internal.lease.fleet;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * What one thread of a process was handed, call by call, in a file that survives the
 * process. An id stands here before anything else is done with it. Used by one thread.
 */
final class IdJournal implements AutoCloseable {

    private static final int HEAD_LONGS = 3;

    private final FileOutputStream file;

    IdJournal(Path path) {
        try {
            this.file = new FileOutputStream(path.toFile());
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /**
     * One call.
     *
     * @param epochMillis when it returned
     * @param waitedNanos how long it took, less what the whole process stood still
     * @param ids what it returned; none if it was refused
     */
    record Entry(long epochMillis, long waitedNanos, long[] ids) {
    }

    /** Writes an entry: the kernel has it when this returns, whatever becomes of us. */
    void append(Entry entry) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES * (HEAD_LONGS + entry.ids().length));
        bytes.putLong(entry.epochMillis()).putLong(entry.waitedNanos()).putLong(entry.ids().length);
        for (long id : entry.ids()) {
            bytes.putLong(id);
        }
        this.file.write(bytes.array());
    }

    @Override
    public void close() throws IOException {
        this.file.close();
    }

    /** Reads a journal up to its end, or to where its writer was killed. */
    static void read(Path path, Consumer<Entry> reader) {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(path), 1 << 16))) {
            while (true) {
                long epochMillis = in.readLong();
                long waitedNanos = in.readLong();
                long[] ids = new long[Math.toIntExact(in.readLong())];
                for (int i = 0; i < ids.length; i++) {
                    ids[i] = in.readLong();
                }
                reader.accept(new Entry(epochMillis, waitedNanos, ids));
            }
        }
        catch (EOFException ex) {
            // The end.
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

}
