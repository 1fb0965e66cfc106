package io.shardedid.sample.photo;

import java.io.ByteArrayOutputStream;

import io.shardedid.sample.SampleImages;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class JpegScansTest {

    private final byte[] once = SampleImages.file("jpeg", SampleImages.picture(200, 100));

    private final byte[] often = SampleImages.progressiveJpeg(200, 100);

    @Test
    void countsEachScan() {
        assertThat(JpegScans.in(this.once)).isEqualTo(1);
        int scans = JpegScans.in(this.often);
        assertThat(scans).isBetween(6, 12);
        assertThat(JpegScans.in(SampleImages.repeatingItsLastScan(this.often, 70))).isEqualTo(scans + 70);
    }

    @Test
    void countsNothingInAnotherFormatOrInPieces() {
        assertThat(JpegScans.in(SampleImages.png(20, 10))).isZero();
        assertThat(JpegScans.in(new byte[0])).isZero();
        assertThat(JpegScans.in(new byte[] { (byte) 0xFF, (byte) 0xD8 })).isZero();
        assertThat(JpegScans.in(SampleImages.cutOff(this.once))).isEqualTo(1);
    }

    @Test
    void passesOverAPreviewInASegmentAndWhatIsBehindTheEnd() {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.write(this.once, 0, 2);
        int length = this.often.length + 2;
        file.writeBytes(new byte[] { (byte) 0xFF, (byte) 0xE1, (byte) (length >> 8), (byte) length });
        file.writeBytes(this.often);
        file.write(this.once, 2, this.once.length - 2);
        file.writeBytes(this.often);
        assertThat(JpegScans.in(file.toByteArray())).isEqualTo(1);
    }

    /** Readers take the image behind it, so its scans count. */
    @Test
    void goesOnBehindAnImageWithoutAScan() {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.writeBytes(new byte[] { (byte) 0xFF, (byte) 0xD8, (byte) 0xFF, (byte) 0xD9 });
        file.writeBytes(this.often);
        assertThat(JpegScans.in(file.toByteArray())).isEqualTo(JpegScans.in(this.often));
    }

}
