package io.shardedid.sample;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Random;

import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/**
 * Image files for tests: the left half red, the right half blue.
 */
public final class SampleImages {

    private SampleImages() {
    }

    public static byte[] png(int width, int height) {
        return file("png", picture(width, height));
    }

    public static byte[] file(String format, BufferedImage picture) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            ImageIO.write(picture, format, bytes);
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        return bytes.toByteArray();
    }

    public static BufferedImage picture(int width, int height) {
        BufferedImage picture = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = picture.createGraphics();
        graphics.setColor(Color.RED);
        graphics.fillRect(0, 0, width / 2, height);
        graphics.setColor(Color.BLUE);
        graphics.fillRect(width / 2, 0, width - width / 2, height);
        graphics.dispose();
        return picture;
    }

    /** Squares of four pixels, black and white in turn. */
    public static BufferedImage checked(int side) {
        BufferedImage picture = new BufferedImage(side, side, BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < side; y++) {
            for (int x = 0; x < side; x++) {
                picture.setRGB(x, y, ((x / 4 + y / 4) % 2 == 0) ? 0xFFFFFF : 0);
            }
        }
        return picture;
    }

    /** A PNG that no compression makes small. */
    public static byte[] noisyPng(int side) {
        BufferedImage picture = new BufferedImage(side, side, BufferedImage.TYPE_INT_RGB);
        Random random = new Random(7);
        picture.setRGB(0, 0, side, side, random.ints((long) side * side).toArray(), 0, side);
        return file("png", picture);
    }

    /** The head of a PNG that claims a size, then nothing. */
    public static byte[] pngThatClaims(int width, int height) {
        byte[] png = png(1, 1);
        putInt(png, 16, width);
        putInt(png, 20, height);
        java.util.zip.CRC32 crc = new java.util.zip.CRC32();
        crc.update(png, 12, 17);
        putInt(png, 29, (int) crc.getValue());
        return png;
    }

    /** A JPEG that comes in several scans, each finer than the one before. */
    public static byte[] progressiveJpeg(BufferedImage picture) {
        ImageWriter writer = ImageIO.getImageWritersByFormatName("jpeg").next();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (MemoryCacheImageOutputStream out = new MemoryCacheImageOutputStream(bytes)) {
            ImageWriteParam param = writer.getDefaultWriteParam();
            param.setProgressiveMode(ImageWriteParam.MODE_DEFAULT);
            writer.setOutput(out);
            writer.write(null, new IIOImage(picture, null, null), param);
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        finally {
            writer.dispose();
        }
        return bytes.toByteArray();
    }

    /** The first scan of a progressive JPEG tells the mean colour of each block. */
    public static byte[] repeatingItsFirstScan(byte[] jpeg, int times) {
        int scan = marker(jpeg, 0, 0xDA);
        int next = Math.min(marker(jpeg, scan + 2, 0xDA), marker(jpeg, scan + 2, 0xC4));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(jpeg, 0, next);
        for (int i = 0; i < times; i++) {
            bytes.write(jpeg, scan, next - scan);
        }
        bytes.write(jpeg, next, jpeg.length - next);
        return bytes.toByteArray();
    }

    private static int marker(byte[] jpeg, int from, int marker) {
        int at = from;
        while (at + 1 < jpeg.length && (jpeg[at] != (byte) 0xFF || jpeg[at + 1] != (byte) marker)) {
            at++;
        }
        return at;
    }

    public static byte[] cutOff(byte[] file) {
        return Arrays.copyOf(file, file.length / 2);
    }

    private static void putInt(byte[] bytes, int at, int value) {
        for (int i = 0; i < 4; i++) {
            bytes[at + i] = (byte) (value >>> 24 - 8 * i);
        }
    }

}
