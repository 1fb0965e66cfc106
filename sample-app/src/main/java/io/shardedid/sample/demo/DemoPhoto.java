package io.shardedid.sample.demo;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;

import io.shardedid.sample.photo.Picture;

/**
 * A photo that the first start publishes.
 *
 * @param author who publishes it
 * @param caption what the author says
 * @param picture the name of the picture in this application
 * @param minutes how long before the first start it was published
 */
record DemoPhoto(String author, String caption, String picture, int minutes) {

    private static final int WIDTH = 960;

    private static final int HEIGHT = 720;

    /** The newest last. The five names are the keys of five shards. */
    static final List<DemoPhoto> ALL = List.of(new DemoPhoto("Mira", "Two minutes before the fog", "fog", 4217),
            new DemoPhoto("Jonas", "Night shift, third floor", "night-shift", 3851),
            new DemoPhoto("Aiko", "The tide table was right", "tide", 3436),
            new DemoPhoto("Tomás", "Up before everyone else", "early", 3018),
            new DemoPhoto("Halima", "Harmattan sky, eleven o'clock", "harmattan", 2779),
            new DemoPhoto("Mira", "It was green for one hour", "green", 2466),
            new DemoPhoto("Aiko", "Ferry home", "ferry", 1993),
            new DemoPhoto("Jonas", "Rooftops, blue hour", "rooftops", 1627),
            new DemoPhoto("Halima", "A child waved from the red one", "red-one", 1412),
            new DemoPhoto("Tomás", "Snow line moved again", "snow-line", 1265),
            new DemoPhoto("Aiko", "Tea fields after rain", "tea", 911),
            new DemoPhoto("Mira", "Wood smoke", "smoke", 547),
            new DemoPhoto("Halima", "Last light, still thirty degrees", "last-light", 241),
            new DemoPhoto("Jonas", "Festival of small lights", "festival", 12));

    /**
     * Returns the picture, which is shipped with this application.
     */
    Picture image() {
        try (InputStream in = DemoPhoto.class.getResourceAsStream("/demo/" + this.picture + ".jpg")) {
            if (in == null) {
                throw new IllegalStateException("This application has no picture: name=" + this.picture);
            }
            return new Picture(WIDTH, HEIGHT, in.readAllBytes());
        }
        catch (IOException ex) {
            throw new UncheckedIOException("Could not read the picture '%s'".formatted(this.picture), ex);
        }
    }

}
