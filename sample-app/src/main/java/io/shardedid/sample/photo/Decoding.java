package io.shardedid.sample.photo;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.shardedid.sample.problem.Problems;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.core.io.InputStreamSource;
import org.springframework.stereotype.Component;

/**
 * Reads uploaded files, a few at a time: each takes memory and seconds of a processor,
 * and how many come at once is not for this application to say. The others wait for a
 * while, then they are sent away.
 */
@Component
class Decoding {

    private static final int AT_ONCE = 2;

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Semaphore free;

    private final Duration patience;

    @Autowired
    Decoding() {
        this(AT_ONCE, PATIENCE);
    }

    Decoding(int atOnce, Duration patience) {
        this.free = new Semaphore(atOnce, true);
        this.patience = patience;
    }

    /**
     * Reads a file, which is not in memory before its turn comes.
     * @param file where the bytes come from
     * @return the image
     */
    UploadedImage read(InputStreamSource file) throws IOException {
        if (!acquired()) {
            throw Problems.tooManyUploads();
        }
        try (var in = file.getInputStream()) {
            return UploadedImage.read(in.readAllBytes());
        }
        finally {
            this.free.release();
        }
    }

    private boolean acquired() {
        try {
            return this.free.tryAcquire(this.patience.toMillis(), TimeUnit.MILLISECONDS);
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

}
