package io.shardedid.sample.photo;

import java.awt.geom.AffineTransform;
import java.awt.image.AffineTransformOp;
import java.awt.image.BufferedImage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * How a camera was held, 1 to 8, from the Exif block of a JPEG. Phones store the sensor's
 * picture and this number; the JDK's reader ignores it.
 *
 * <p>
 * Source: Exif 2.32, section 4.6.4 (tag 0x0112), and JPEG (ITU T.81) for the segments.
 */
record JpegOrientation(int value) {

    private static final int UPRIGHT = 1;

    private static final int TAG = 0x0112;

    private static final int APP1 = 0xE1;

    private static final int START_OF_SCAN = 0xDA;

    private static final byte[] EXIF = "Exif\0\0".getBytes(StandardCharsets.US_ASCII);

    static JpegOrientation of(byte[] file) {
        try {
            return new JpegOrientation(find(ByteBuffer.wrap(file)));
        }
        catch (IndexOutOfBoundsException | IllegalArgumentException cutOff) {
            return new JpegOrientation(UPRIGHT);
        }
    }

    /** Whether width and height change places. */
    boolean swapsSides() {
        return this.value >= 5;
    }

    BufferedImage upright(BufferedImage image) {
        if (this.value == UPRIGHT) {
            return image;
        }
        int width = image.getWidth();
        int height = image.getHeight();
        // Columns: x' = m0 x + m2 y + m4, y' = m1 x + m3 y + m5.
        AffineTransform turn = switch (this.value) {
            case 2 -> new AffineTransform(-1, 0, 0, 1, width, 0);
            case 3 -> new AffineTransform(-1, 0, 0, -1, width, height);
            case 4 -> new AffineTransform(1, 0, 0, -1, 0, height);
            case 5 -> new AffineTransform(0, 1, 1, 0, 0, 0);
            case 6 -> new AffineTransform(0, 1, -1, 0, height, 0);
            case 7 -> new AffineTransform(0, -1, -1, 0, height, width);
            default -> new AffineTransform(0, -1, 1, 0, 0, width);
        };
        BufferedImage upright = new BufferedImage(swapsSides() ? height : width, swapsSides() ? width : height,
                BufferedImage.TYPE_INT_RGB);
        return new AffineTransformOp(turn, AffineTransformOp.TYPE_NEAREST_NEIGHBOR).filter(toRgb(image), upright);
    }

    private static BufferedImage toRgb(BufferedImage image) {
        BufferedImage rgb = new BufferedImage(image.getWidth(), image.getHeight(), BufferedImage.TYPE_INT_RGB);
        rgb.getGraphics().drawImage(image, 0, 0, null);
        return rgb;
    }

    private static int find(ByteBuffer file) {
        if (file.remaining() < 4 || (file.getShort(0) & 0xFFFF) != 0xFFD8) {
            return UPRIGHT;
        }
        int at = 2;
        while ((file.get(at) & 0xFF) == 0xFF) {
            int marker = file.get(at + 1) & 0xFF;
            if (marker == START_OF_SCAN) {
                return UPRIGHT;
            }
            int length = file.getShort(at + 2) & 0xFFFF;
            if (marker == APP1 && startsWithExif(file, at + 4)) {
                return fromTiff(file.slice(at + 4 + EXIF.length, length - 2 - EXIF.length));
            }
            at += 2 + length;
        }
        return UPRIGHT;
    }

    private static boolean startsWithExif(ByteBuffer file, int at) {
        return file.slice(at, EXIF.length).equals(ByteBuffer.wrap(EXIF));
    }

    private static int fromTiff(ByteBuffer tiff) {
        tiff.order((tiff.getShort(0) == 0x4949) ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        int directory = tiff.getInt(4);
        int entries = tiff.getShort(directory) & 0xFFFF;
        for (int i = 0; i < entries; i++) {
            int entry = directory + 2 + 12 * i;
            if ((tiff.getShort(entry) & 0xFFFF) == TAG) {
                int value = tiff.getShort(entry + 8);
                return (value >= 1 && value <= 8) ? value : UPRIGHT;
            }
        }
        return UPRIGHT;
    }

}
