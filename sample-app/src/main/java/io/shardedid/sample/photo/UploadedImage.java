package io.shardedid.sample.photo;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import javax.imageio.ImageIO;
import javax.imageio.ImageReadParam;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;

import io.shardedid.sample.problem.Problems;
import net.coobird.thumbnailator.Thumbnails;
import net.coobird.thumbnailator.filters.Canvas;
import net.coobird.thumbnailator.geometry.Positions;
import net.coobird.thumbnailator.util.exif.ExifFilterUtils;
import net.coobird.thumbnailator.util.exif.ExifUtils;
import net.coobird.thumbnailator.util.exif.Orientation;

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

    private static final Set<Orientation> SIDEWAYS = EnumSet.of(Orientation.LEFT_TOP, Orientation.RIGHT_TOP,
            Orientation.RIGHT_BOTTOM, Orientation.LEFT_BOTTOM);

    /** A small file can unpack to a huge picture: it is asked for its size first. */
    private static final long MAX_PIXELS = 50_000_000;

    /**
     * Readers hold whole rows, whatever they skip: a row of 50 million pixels has 400 MB.
     */
    private static final int MAX_SIDE = 20_000;

    /**
     * A scan of 60 bytes can go over every pixel again. Cameras and editors make about
     * ten scans; scans beyond this number are not drawn.
     */
    private static final int MAX_SCANS = 50;

    /** The thumbnail is sharp at 400 CSS pixels, the widest card, on most screens. */
    private static final int THUMBNAIL_SIDE = 720;

    private static final double THUMBNAIL_QUALITY = 0.88;

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
                        // Only a JPEG is asked for what stands beside its pixels.
                        boolean notes = mediaType.equals("image/jpeg");
                        reader.setInput(in, !notes, !notes);
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
        Orientation orientation = mediaType.equals("image/jpeg") ? orientation(reader) : Orientation.TOP_LEFT;
        boolean sidesChangePlaces = SIDEWAYS.contains(orientation);
        return new UploadedImage(mediaType, sidesChangePlaces ? height : width, sidesChangePlaces ? width : height,
                bytes, thumbnail(decode(reader, Math.max(width, height)), orientation));
    }

    /** Returns what the camera noted about how it was held. */
    private static Orientation orientation(ImageReader reader) {
        try {
            Orientation noted = ExifUtils.getExifOrientation(reader, 0);
            return (noted != null) ? noted : Orientation.TOP_LEFT;
        }
        catch (IOException | RuntimeException unreadable) {
            // The JDK does not read notes in an order that the standards forbid, or
            // broken
            // ones; such a photo is shown as it is stored.
            return Orientation.TOP_LEFT;
        }
    }

    /** Skips pixels while reading: at least two for each that the thumbnail keeps. */
    private static BufferedImage decode(ImageReader reader, int longerSide) throws IOException {
        int step = Math.max(1, longerSide / (2 * THUMBNAIL_SIDE));
        ImageReadParam param = reader.getDefaultReadParam();
        param.setSourceSubsampling(step, step, 0, 0);
        param.setSourceProgressivePasses(0, MAX_SCANS);
        return reader.read(0, param);
    }

    /** Returns a JPEG, which carries none of the notes of the camera. */
    private static byte[] thumbnail(BufferedImage image, Orientation orientation) throws IOException {
        ByteArrayOutputStream jpeg = new ByteArrayOutputStream();
        Thumbnails.of(image)
            .scale(Math.min(1, (double) THUMBNAIL_SIDE / Math.max(image.getWidth(), image.getHeight())))
            .addFilter(ExifFilterUtils.getFilterForOrientation(orientation))
            // JPEG knows no transparency.
            .addFilter((upright) -> new Canvas(upright.getWidth(), upright.getHeight(), Positions.CENTER, Color.WHITE)
                .apply(upright))
            .imageType(BufferedImage.TYPE_INT_ARGB)
            .outputFormat("jpeg")
            .outputQuality(THUMBNAIL_QUALITY)
            .toOutputStream(jpeg);
        return jpeg.toByteArray();
    }

}
