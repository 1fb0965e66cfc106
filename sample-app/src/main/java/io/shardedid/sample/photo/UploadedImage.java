package io.shardedid.sample.photo;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;

import javax.imageio.ImageIO;
import javax.imageio.ImageReadParam;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;

import io.shardedid.sample.problem.Problems;

/**
 * A file that was checked, by its content, to be an image.
 *
 * @param mediaType what the content is, whatever the browser called it
 * @param width pixels, as a viewer shows it
 * @param height pixels, as a viewer shows it
 * @param bytes the file as it came
 * @param thumbnail a small JPEG of it
 */
public record UploadedImage(String mediaType, int width, int height, byte[] bytes, byte[] thumbnail) {

    /** What browsers show and the JDK reads. */
    private static final Map<String, String> MEDIA_TYPES = Map.of("png", "image/png", "jpeg", "image/jpeg", "gif",
            "image/gif");

    /** A small file can unpack to a huge picture: it is asked for its size first. */
    private static final long MAX_PIXELS = 50_000_000;

    /**
     * Readers hold whole rows, whatever they skip: a row of 50 million pixels has 400 MB.
     */
    private static final int MAX_SIDE = 20_000;

    /**
     * A scan of 60 bytes can go over every pixel again; cameras and editors make about
     * ten.
     */
    private static final int MAX_SCANS = 50;

    /**
     * Checks a file and makes its thumbnail, which takes long and needs no database.
     * @param bytes the file as it came
     * @return the image
     */
    public static UploadedImage read(byte[] bytes) {
        try (ImageInputStream in = new MemoryCacheImageInputStream(new ByteArrayInputStream(bytes))) {
            Iterator<ImageReader> readers = ImageIO.getImageReaders(in);
            while (readers.hasNext()) {
                ImageReader reader = readers.next();
                try {
                    String mediaType = MEDIA_TYPES.get(reader.getFormatName().toLowerCase(Locale.ROOT));
                    if (mediaType != null) {
                        reader.setInput(in, true, true);
                        return read(bytes, mediaType, reader);
                    }
                }
                finally {
                    reader.dispose();
                }
            }
        }
        catch (IOException | IllegalArgumentException | IndexOutOfBoundsException | NegativeArraySizeException broken) {
            // It began like an image and did not go on like one; the JDK's readers throw
            // all of these.
            throw Problems.notAnImage();
        }
        throw Problems.notAnImage();
    }

    private static UploadedImage read(byte[] bytes, String mediaType, ImageReader reader) throws IOException {
        int width = reader.getWidth(0);
        int height = reader.getHeight(0);
        if ((long) width * height > MAX_PIXELS) {
            throw Problems.tooManyPixels(width, height, MAX_PIXELS);
        }
        if (Math.max(width, height) > MAX_SIDE) {
            throw Problems.tooLongASide(width, height, MAX_SIDE);
        }
        int scans = JpegScans.in(bytes);
        if (scans > MAX_SCANS) {
            throw Problems.tooManyScans(scans, MAX_SCANS);
        }
        ImageReadParam param = reader.getDefaultReadParam();
        int step = Thumbnail.step(width, height);
        param.setSourceSubsampling(step, step, 0, 0);
        BufferedImage image = reader.read(0, param);
        JpegOrientation orientation = JpegOrientation.of(bytes);
        return new UploadedImage(mediaType, orientation.swapsSides() ? height : width,
                orientation.swapsSides() ? width : height, bytes, Thumbnail.of(orientation.upright(image)));
    }

}
