package io.shardedid.sample.browser;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/**
 * A picture for the documentation: a PNG whose colours are rounded to six bits a channel,
 * which nobody sees and which halves the file.
 */
final class Screenshot {

    private Screenshot() {
    }

    static void write(byte[] png, Path file) {
        try {
            BufferedImage seen = ImageIO.read(new ByteArrayInputStream(png));
            BufferedImage rounded = new BufferedImage(seen.getWidth(), seen.getHeight(), BufferedImage.TYPE_INT_RGB);
            for (int y = 0; y < seen.getHeight(); y++) {
                for (int x = 0; x < seen.getWidth(); x++) {
                    rounded.setRGB(x, y, rounded(seen.getRGB(x, y)));
                }
            }
            Files.createDirectories(file.getParent());
            write(rounded, file);
        }
        catch (IOException ex) {
            throw new UncheckedIOException("Could not write a screenshot: file=" + file, ex);
        }
    }

    private static int rounded(int rgb) {
        int rounded = 0;
        for (int shift = 0; shift <= 16; shift += 8) {
            rounded |= Math.min(255, (rgb >> shift & 0xFF) + 2 & ~3) << shift;
        }
        return rounded;
    }

    private static void write(BufferedImage image, Path file) throws IOException {
        ImageWriter writer = ImageIO.getImageWritersByFormatName("png").next();
        try (OutputStream out = Files.newOutputStream(file);
                MemoryCacheImageOutputStream cache = new MemoryCacheImageOutputStream(out)) {
            ImageWriteParam param = writer.getDefaultWriteParam();
            param.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
            param.setCompressionQuality(0);
            writer.setOutput(cache);
            writer.write(null, new IIOImage(image, null, null), param);
        }
        finally {
            writer.dispose();
        }
    }

}
