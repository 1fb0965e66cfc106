package io.shardedid.sample.demo;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.FileImageOutputStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pictures of a first start are painted here, once, so that the sample ships no
 * picture of anybody's and no start waits for a painter: {@code -Dpaint=true} writes them
 * anew.
 */
class DemoPicturesTest {

    private static final Path FOLDER = Path.of("src", "main", "resources", "demo");

    private static final float QUALITY = 0.9f;

    /** Mean over all channels; what the JPEG takes away is below 2. */
    private static final double MOST_DIFFERENCE = 3;

    private static final List<Painting> PAINTINGS = List.of(
            new Painting("fog", Scene.FOREST, 0xdfe7e4, 0xf3e3cf, 0xfff4dc, 0x1f3d3a),
            new Painting("night-shift", Scene.CITY, 0x1b2146, 0x5a3d6e, 0xffd27d, 0x0d1126),
            new Painting("tide", Scene.SEA, 0xffb88a, 0xffe0b5, 0xfff3d6, 0x1d5c74),
            new Painting("early", Scene.PEAKS, 0x7fb2e5, 0xf7d9c4, 0xffffff, 0x2c3e5d),
            new Painting("harmattan", Scene.HILLS, 0xf6c28b, 0xfbe5c0, 0xffffff, 0x8c3f26),
            new Painting("green", Scene.AURORA, 0x081229, 0x12324a, 0x5dffb0, 0x050a14),
            new Painting("ferry", Scene.SEA, 0x2b2d6b, 0xe0607e, 0xffc46b, 0x161a45),
            new Painting("rooftops", Scene.CITY, 0x274b8f, 0xf2a28c, 0xfff0b8, 0x172645),
            new Painting("red-one", Scene.BALLOONS, 0x8fd0f0, 0xfdf1d8, 0xe4572e, 0x4f8a5b),
            new Painting("snow-line", Scene.PEAKS, 0x233b63, 0xe98f7a, 0xfff1e0, 0x14213d),
            new Painting("tea", Scene.HILLS, 0xbfe3e0, 0xf4f3d7, 0xffffff, 0x1e5b43),
            new Painting("smoke", Scene.FOREST, 0x3a2e55, 0xf0826a, 0xffd9a0, 0x1a1330),
            new Painting("last-light", Scene.HILLS, 0x5b2a6e, 0xff9a5c, 0xffe08a, 0x2a1238),
            new Painting("festival", Scene.BALLOONS, 0x2e3a7a, 0xf6a5b0, 0xffcf5c, 0x26305e));

    private record Painting(String picture, Scene scene, int... colours) {
    }

    @Test
    void eachPictureIsWhatIsPaintedHere() throws IOException {
        long[] seeds = new Random(2012).longs(PAINTINGS.size()).toArray();
        for (int i = 0; i < seeds.length; i++) {
            Painting painting = PAINTINGS.get(i);
            BufferedImage painted = painting.scene().paint(seeds[i], painting.colours());
            Path file = FOLDER.resolve(painting.picture() + ".jpg");
            if (Boolean.getBoolean("paint")) {
                write(painted, file);
            }
            assertThat(difference(painted, ImageIO.read(file.toFile()))).as(painting.picture())
                .isLessThan(MOST_DIFFERENCE);
        }
    }

    @Test
    void eachPhotoHasAPictureOfTheSizeThatItTells() throws IOException {
        assertThat(DemoPhoto.ALL).extracting(DemoPhoto::picture)
            .containsExactlyElementsOf(PAINTINGS.stream().map(Painting::picture).toList());
        for (DemoPhoto photo : DemoPhoto.ALL) {
            BufferedImage shown = ImageIO.read(new ByteArrayInputStream(photo.image().jpeg()));
            assertThat(photo.image().width()).as(photo.picture()).isEqualTo(shown.getWidth());
            assertThat(photo.image().height()).as(photo.picture()).isEqualTo(shown.getHeight());
        }
    }

    private static double difference(BufferedImage one, BufferedImage other) {
        long sum = 0;
        for (int y = 0; y < Canvas.HEIGHT; y++) {
            for (int x = 0; x < Canvas.WIDTH; x++) {
                int a = one.getRGB(x, y);
                int b = other.getRGB(x, y);
                for (int shift = 0; shift <= 16; shift += 8) {
                    sum += Math.abs((a >> shift & 0xFF) - (b >> shift & 0xFF));
                }
            }
        }
        return sum / (3.0 * Canvas.WIDTH * Canvas.HEIGHT);
    }

    private static void write(BufferedImage image, Path file) throws IOException {
        Files.createDirectories(file.getParent());
        Files.deleteIfExists(file);
        ImageWriter writer = ImageIO.getImageWritersByFormatName("jpeg").next();
        try (FileImageOutputStream out = new FileImageOutputStream(file.toFile())) {
            ImageWriteParam param = writer.getDefaultWriteParam();
            param.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
            param.setCompressionQuality(QUALITY);
            writer.setOutput(out);
            writer.write(null, new IIOImage(image, null, null), param);
        }
        finally {
            writer.dispose();
        }
    }

}
