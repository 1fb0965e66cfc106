package io.shardedid.sample.demo;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;

import io.shardedid.sample.photo.UploadedImage;

/**
 * A photo that the first start publishes.
 *
 * @param author who publishes it
 * @param caption what the author says
 * @param picture the name of the picture in this application
 */
record DemoPhoto(String author, String caption, String picture) {

    private static final int WIDTH = 960;

    private static final int HEIGHT = 720;

    static final List<DemoPhoto> ALL = List.of(new DemoPhoto("Mira", "Two minutes before the fog", "fog"),
            new DemoPhoto("Jonas", "Night shift, third floor", "night-shift"),
            new DemoPhoto("Aiko", "The tide table was right", "tide"),
            new DemoPhoto("Tomás", "Up before everyone else", "early"),
            new DemoPhoto("Ngozi", "Harmattan sky, eleven o'clock", "harmattan"),
            new DemoPhoto("Mira", "It was green for one hour", "green"), new DemoPhoto("Aiko", "Ferry home", "ferry"),
            new DemoPhoto("Jonas", "Rooftops, blue hour", "rooftops"),
            new DemoPhoto("Ngozi", "Somebody waved from the red one", "red-one"),
            new DemoPhoto("Tomás", "Snow line moved again", "snow-line"),
            new DemoPhoto("Aiko", "Tea fields after rain", "tea"), new DemoPhoto("Mira", "Wood smoke", "smoke"),
            new DemoPhoto("Ngozi", "Last light, still thirty degrees", "last-light"),
            new DemoPhoto("Jonas", "Festival of small lights", "festival"));

    /**
     * Returns the picture. It is small enough to be its own thumbnail, so that a first
     * start decodes nothing.
     */
    UploadedImage image() {
        try (InputStream in = DemoPhoto.class.getResourceAsStream("/demo/" + this.picture + ".jpg")) {
            if (in == null) {
                throw new IllegalStateException("This application has no picture: name=" + this.picture);
            }
            byte[] bytes = in.readAllBytes();
            return new UploadedImage("image/jpeg", WIDTH, HEIGHT, bytes, bytes);
        }
        catch (IOException ex) {
            throw new UncheckedIOException("Could not read the picture '%s'".formatted(this.picture), ex);
        }
    }

}
