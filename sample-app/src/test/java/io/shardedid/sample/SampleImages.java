package io.shardedid.sample;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

import javax.imageio.ImageIO;

import io.shardedid.sample.photo.Picture;

/**
 * Pictures for tests: the left half red, the right half blue.
 */
public final class SampleImages {

    private SampleImages() {
    }

    public static Picture picture(int width, int height) {
        BufferedImage picture = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = picture.createGraphics();
        graphics.setColor(Color.RED);
        graphics.fillRect(0, 0, width / 2, height);
        graphics.setColor(Color.BLUE);
        graphics.fillRect(width / 2, 0, width - width / 2, height);
        graphics.dispose();
        ByteArrayOutputStream jpeg = new ByteArrayOutputStream();
        try {
            ImageIO.write(picture, "jpeg", jpeg);
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        return new Picture(width, height, jpeg.toByteArray());
    }

}
