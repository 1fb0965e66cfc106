package io.shardedid.sample.photo;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.IntSummaryStatistics;
import java.util.stream.IntStream;

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

    private static final int JFIF_LENGTH = 18;

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

    /** Each scan costs the time of a whole picture, however few bytes it has. */
    @Test
    void drawsOnlyTheFirstScansOfAJpegThatIsDrawnAgainAndAgain() throws IOException {
        byte[] jpeg = SampleImages.progressiveJpeg(SampleImages.checked(64));
        assertThat(contrast(thumbnail(UploadedImage.read(jpeg)))).isGreaterThan(200);
        assertThat(contrast(thumbnail(UploadedImage.read(SampleImages.repeatingItsFirstScan(jpeg, 30)))))
            .isGreaterThan(200);
        // The fine scans come after the fiftieth.
        assertThat(contrast(thumbnail(UploadedImage.read(SampleImages.repeatingItsFirstScan(jpeg, 50)))))
            .isLessThan(50);
    }

    @Test
    void showsWhatIsTransparentAsWhite() throws IOException {
        BufferedImage clear = new BufferedImage(40, 30, BufferedImage.TYPE_INT_ARGB);
        BufferedImage thumbnail = thumbnail(UploadedImage.read(SampleImages.file("png", clear)));
        assertThat(thumbnail.getRGB(20, 15)).isEqualTo(0xFFFFFFFF);
    }

    @Test
    void keepsAVeryLongImageAtLeastOnePixelWide() throws IOException {
        BufferedImage thumbnail = thumbnail(UploadedImage.read(SampleImages.png(1, 20_000)));
        assertThat(thumbnail.getWidth()).isEqualTo(1);
        assertThat(thumbnail.getHeight()).isEqualTo(720);
    }

    /** A camera writes down where its owner lives. */
    @Test
    void makesAThumbnailWithoutTheNotesOfTheCamera() {
        byte[] jpeg = withOrientation(SampleImages.file("jpeg", SampleImages.picture(200, 100)), 6);
        assertThat(new String(jpeg, StandardCharsets.ISO_8859_1)).contains("Exif");
        assertThat(new String(UploadedImage.read(jpeg).thumbnail(), StandardCharsets.ISO_8859_1))
            .doesNotContain("Exif");
    }

    /** The JDK refuses such notes, not the pixels beside them. */
    @Test
    void showsAPhotoWithUnreadableNotesAsItIsStored() {
        byte[] jpeg = SampleImages.file("jpeg", SampleImages.picture(200, 100));
        assertThat(UploadedImage.read(withExif(jpeg, 2, 2, 6)).width()).isEqualTo(200);
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

    @Test
    void turnsAPhotoThatAnEditorSaved() {
        byte[] jpeg = SampleImages.file("jpeg", SampleImages.picture(200, 100));
        assertThat(UploadedImage.read(withExif(jpeg, 2 + JFIF_LENGTH, 2 + JFIF_LENGTH, 6)).width()).isEqualTo(100);
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

    /** As cameras write it: the Exif block stands first, in place of the JFIF block. */
    private static byte[] withOrientation(byte[] jpeg, int orientation) {
        return withExif(jpeg, 2, 2 + JFIF_LENGTH, orientation);
    }

    private static byte[] withExif(byte[] jpeg, int head, int tail, int orientation) {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.write(jpeg, 0, head);
        file.writeBytes(new byte[] { (byte) 0xFF, (byte) 0xE1, 0, 34, 'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0,
                0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, (byte) orientation, 0, 0, 0, 0, 0, 0 });
        file.write(jpeg, tail, jpeg.length - tail);
        return file.toByteArray();
    }

    private static BufferedImage thumbnail(UploadedImage image) throws IOException {
        return ImageIO.read(new ByteArrayInputStream(image.thumbnail()));
    }

    private static int contrast(BufferedImage image) {
        IntSummaryStatistics greens = IntStream.range(0, image.getWidth())
            .map((x) -> image.getRGB(x, 2) >> 8 & 0xFF)
            .summaryStatistics();
        return greens.getMax() - greens.getMin();
    }

    private static boolean red(BufferedImage image, int x, int y) {
        return (image.getRGB(x, y) >> 16 & 0xFF) > 128;
    }

}
