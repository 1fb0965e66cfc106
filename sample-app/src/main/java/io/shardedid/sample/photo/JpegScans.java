package io.shardedid.sample.photo;

/**
 * How often a JPEG goes over its pixels: once, or in several scans, each of which makes
 * the picture finer. The number is the file's to choose, and each scan costs the time of
 * a whole picture however few bytes it has.
 *
 * <p>
 * Source: JPEG (ITU T.81), annex B.
 */
final class JpegScans {

    private static final int START_OF_IMAGE = 0xD8;

    private static final int END_OF_IMAGE = 0xD9;

    private static final int START_OF_SCAN = 0xDA;

    /**
     * Below it, and from the first restart to the start of the image, stands no segment.
     */
    private static final int FIRST_SEGMENT = 0xC0;

    private static final int FIRST_RESTART = 0xD0;

    private JpegScans() {
    }

    /**
     * Counts the scans of a file, without those of a preview inside a segment and without
     * what is behind the end of the image.
     * @param file any file
     * @return 0 for what is no JPEG
     */
    static int in(byte[] file) {
        if (file.length < 2 || marker(file, 0) != START_OF_IMAGE) {
            return 0;
        }
        int scans = 0;
        int at = 2;
        while (at + 3 < file.length) {
            int marker = marker(file, at);
            if (marker == END_OF_IMAGE && scans > 0) {
                // One without a scan has tables for the next, and readers go on.
                return scans;
            }
            if (!beginsSegment(marker)) {
                at++;
                continue;
            }
            if (marker == START_OF_SCAN) {
                scans++;
            }
            at += 2 + ((file[at + 2] & 0xFF) << 8 | file[at + 3] & 0xFF);
        }
        return scans;
    }

    /** The others are pixels, fillings, restarts and both ends. */
    private static boolean beginsSegment(int marker) {
        return marker >= FIRST_SEGMENT && marker < 0xFF && (marker < FIRST_RESTART || marker > END_OF_IMAGE);
    }

    /** The marker that begins at a byte; negative if none does. */
    private static int marker(byte[] file, int at) {
        return ((file[at] & 0xFF) == 0xFF) ? file[at + 1] & 0xFF : -1;
    }

}
