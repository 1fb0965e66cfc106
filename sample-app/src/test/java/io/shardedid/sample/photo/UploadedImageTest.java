package io.shardedid.sample.photo;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

import javax.imageio.ImageIO;

import io.shardedid.sample.SampleImages;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponseException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class UploadedImageTest {

    @ParameterizedTest
    @CsvSource({ "png, image/png", "jpeg, image/jpeg", "gif, image/gif" })
    void knowsAnImageByItsContent(String format, String mediaType) {
        UploadedImage image = UploadedImage.read(SampleImages.file(format, SampleImages.picture(30, 20)));
        assertThat(image.mediaType()).isEqualTo(mediaType);
        assertThat(image.width()).isEqualTo(30);
        assertThat(image.height()).isEqualTo(20);
    }

    @Test
    void makesAThumbnailOfTheLongerSide() throws IOException {
        BufferedImage thumbnail = thumbnail(UploadedImage.read(SampleImages.png(3000, 1500)));
        assertThat(thumbnail.getWidth()).isEqualTo(720);
        assertThat(thumbnail.getHeight()).isEqualTo(360);
        assertThat(red(thumbnail, 20, 180)).isTrue();
        assertThat(red(thumbnail, 700, 180)).isFalse();
    }

    @Test
    void leavesASmallImageItsSize() throws IOException {
        assertThat(thumbnail(UploadedImage.read(SampleImages.png(1, 1))).getWidth()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = { "", "a", "<svg xmlns='http://www.w3.org/2000/svg'/>", "GIF89a", "\u0000\u0000\u0001\u0001" })
    void refusesWhatIsNoImage(String content) {
        refuses(content.getBytes(StandardCharsets.ISO_8859_1), HttpStatus.UNSUPPORTED_MEDIA_TYPE,
                "The file must be a PNG, JPEG or GIF image by its content, whatever its name says; choose another.");
    }

    @Test
    void refusesAFormatThatBrowsersMayNotShow() {
        refuses(SampleImages.file("bmp", SampleImages.picture(2, 2)), HttpStatus.UNSUPPORTED_MEDIA_TYPE,
                "The file must be a PNG, JPEG or GIF image by its content, whatever its name says; choose another.");
    }

    @Test
    void refusesAnImageThatBreaksOff() {
        refuses(SampleImages.cutOff(SampleImages.noisyPng(40)), HttpStatus.UNSUPPORTED_MEDIA_TYPE,
                "The file must be a PNG, JPEG or GIF image by its content, whatever its name says; choose another.");
    }

    @Test
    void refusesASmallFileThatUnpacksToAHugeImage() {
        refuses(SampleImages.pngThatClaims(40_000, 30_000), HttpStatus.CONTENT_TOO_LARGE,
                "An image must have at most 50,000,000 pixels: width=40000, height=30000; scale it down.");
    }

    @Test
    void refusesARowThatAloneFillsTheMemory() {
        refuses(SampleImages.pngThatClaims(50_000_000, 1), HttpStatus.CONTENT_TOO_LARGE,
                "An image must be at most 20,000 pixels wide and high: width=50000000, height=1; scale it down.");
        refuses(SampleImages.pngThatClaims(1, 20_001), HttpStatus.CONTENT_TOO_LARGE,
                "An image must be at most 20,000 pixels wide and high: width=1, height=20001; scale it down.");
    }

    @Test
    void refusesAJpegThatIsDrawnAgainAndAgain() {
        byte[] jpeg = SampleImages.progressiveJpeg(20, 10);
        assertThat(UploadedImage.read(jpeg).width()).isEqualTo(20);
        int scans = JpegScans.in(jpeg);
        assertThat(UploadedImage.read(SampleImages.repeatingItsLastScan(jpeg, 50 - scans)).width()).isEqualTo(20);
        refuses(SampleImages.repeatingItsLastScan(jpeg, 51 - scans), HttpStatus.CONTENT_TOO_LARGE,
                "A JPEG must be drawn in at most 50 scans: scans=51; save it anew.");
    }

    @Test
    void turnsAPhotoOfACameraHeldUpright() throws IOException {
        byte[] jpeg = SampleImages.file("jpeg", SampleImages.picture(200, 100));
        UploadedImage image = UploadedImage.read(withOrientation(jpeg, 6));
        assertThat(image.width()).isEqualTo(100);
        assertThat(image.height()).isEqualTo(200);
        // Turned right by a quarter: what was left is now above.
        assertThat(red(thumbnail(image), 50, 20)).isTrue();
        assertThat(red(thumbnail(image), 50, 180)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({ "1, true", "2, false", "3, false", "4, true" })
    void turnsAndMirrorsWithoutSwappingSides(int orientation, boolean redOnTheLeft) throws IOException {
        byte[] jpeg = SampleImages.file("jpeg", SampleImages.picture(200, 100));
        UploadedImage image = UploadedImage.read(withOrientation(jpeg, orientation));
        assertThat(image.width()).isEqualTo(200);
        assertThat(red(thumbnail(image), 20, 50)).isEqualTo(redOnTheLeft);
    }

    @ParameterizedTest
    @CsvSource({ "5, true", "6, true", "7, false", "8, false" })
    void turnsAndMirrorsAndSwapsSides(int orientation, boolean redAbove) throws IOException {
        byte[] jpeg = SampleImages.file("jpeg", SampleImages.picture(200, 100));
        UploadedImage image = UploadedImage.read(withOrientation(jpeg, orientation));
        assertThat(image.height()).isEqualTo(200);
        assertThat(red(thumbnail(image), 50, 20)).isEqualTo(redAbove);
    }

    private static void refuses(byte[] file, HttpStatus status, String detail) {
        assertThatExceptionOfType(ErrorResponseException.class).isThrownBy(() -> UploadedImage.read(file))
            .satisfies((refused) -> {
                assertThat(refused.getStatusCode()).isEqualTo(status);
                assertThat(refused.getBody().getDetail()).isEqualTo(detail);
            });
    }

    /** Puts an Exif block with nothing but the orientation behind the first marker. */
    private static byte[] withOrientation(byte[] jpeg, int orientation) {
        byte[] exif = { (byte) 0xFF, (byte) 0xE1, 0, 34, 'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1,
                0x12, 0, 3, 0, 0, 0, 1, 0, (byte) orientation, 0, 0, 0, 0, 0, 0 };
        byte[] file = new byte[jpeg.length + exif.length];
        System.arraycopy(jpeg, 0, file, 0, 2);
        System.arraycopy(exif, 0, file, 2, exif.length);
        System.arraycopy(jpeg, 2, file, 2 + exif.length, jpeg.length - 2);
        return file;
    }

    private static BufferedImage thumbnail(UploadedImage image) throws IOException {
        return ImageIO.read(new ByteArrayInputStream(image.thumbnail()));
    }

    private static boolean red(BufferedImage image, int x, int y) {
        return (image.getRGB(x, y) >> 16 & 0xFF) > 128;
    }

}
