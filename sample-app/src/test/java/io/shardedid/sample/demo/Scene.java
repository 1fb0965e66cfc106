package io.shardedid.sample.demo;

import java.awt.Color;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.util.function.BiConsumer;
import java.util.function.DoubleUnaryOperator;

import static io.shardedid.sample.demo.Canvas.HEIGHT;
import static io.shardedid.sample.demo.Canvas.WIDTH;
import static io.shardedid.sample.demo.Canvas.circle;

/**
 * A kind of landscape.
 */
enum Scene {

    HILLS((canvas, motifs) -> {
        motifs.sun(WIDTH * (0.2 + 0.6 * canvas.random.nextDouble()), HEIGHT * 0.38, 62);
        for (int i = 1; i <= 5; i++) {
            canvas.ridge(canvas.haze(i / 5.0), canvas.waves(HEIGHT * (0.40 + 0.10 * i), 50 - 4 * i));
        }
    }),

    SEA((canvas, motifs) -> {
        double horizon = HEIGHT * 0.58;
        double x = WIDTH * (0.3 + 0.4 * canvas.random.nextDouble());
        motifs.sun(x, horizon - 20, 92);
        for (int i = 0; i < 14; i++) {
            double y = horizon + (HEIGHT - horizon) * i / 14;
            canvas.fill(canvas.haze(0.45 + 0.55 * i / 13), new Rectangle2D.Double(0, y, WIDTH, HEIGHT - y));
            double half = 95 * (1 - i / 18.0) * (0.5 + canvas.random.nextDouble());
            canvas.veil(canvas.light, 0.8 - 0.05 * i, new Rectangle2D.Double(x - half, y + 4, 2 * half, 7));
        }
        motifs.boat(WIDTH * (0.1 + 0.15 * canvas.random.nextDouble()), horizon + 45);
    }),

    CITY((canvas, motifs) -> {
        canvas.fill(canvas.light, circle(WIDTH * 0.78, HEIGHT * 0.2, 44));
        motifs.stars(60);
        for (int row = 1; row <= 3; row++) {
            Color wall = canvas.haze(0.4 + 0.2 * row);
            for (double x = -20; x < WIDTH;) {
                double width = 50 + canvas.random.nextInt(70);
                motifs.house(wall, x, HEIGHT * (0.22 + 0.17 * row) + canvas.random.nextInt(130), width, row);
                x += width + canvas.random.nextInt(14);
            }
        }
    }),

    PEAKS((canvas, motifs) -> {
        motifs.sun(WIDTH * (0.15 + 0.7 * canvas.random.nextDouble()), HEIGHT * 0.24, 40);
        for (int i = 1; i <= 3; i++) {
            Color rock = canvas.haze(0.3 + 0.2 * i);
            double base = HEIGHT * (0.42 + 0.16 * i);
            for (int j = 0; j < 4; j++) {
                double x = WIDTH * (j + canvas.random.nextDouble()) / 4;
                motifs.peak(rock, x, base, (300 - 60 * i) * (0.7 + 0.5 * canvas.random.nextDouble()));
            }
            canvas.ridge(rock, canvas.waves(base - 8, 12));
        }
        canvas.ridge(canvas.ground, canvas.waves(HEIGHT * 0.93, 14));
    }),

    FOREST((canvas, motifs) -> {
        motifs.sun(WIDTH * (0.25 + 0.5 * canvas.random.nextDouble()), HEIGHT * 0.33, 70);
        for (int i = 1; i <= 5; i++) {
            Color colour = canvas.haze(0.15 + 0.17 * i);
            DoubleUnaryOperator hill = canvas.waves(HEIGHT * (0.36 + 0.115 * i), 34);
            canvas.ridge(colour, hill);
            double size = 26 + 20 * i;
            for (double x = -20; x < WIDTH + 20; x += size * (0.35 + 0.5 * canvas.random.nextDouble())) {
                motifs.fir(colour, x, hill.applyAsDouble(x) + size * 0.3,
                        size * (0.8 + 0.7 * canvas.random.nextDouble()));
            }
        }
    }),

    AURORA((canvas, motifs) -> {
        motifs.stars(160);
        for (int i = 0; i < 3; i++) {
            DoubleUnaryOperator edge = canvas.waves(HEIGHT * (0.52 - 0.09 * i), 60);
            for (int x = 0; x < WIDTH; x += 8) {
                double top = edge.applyAsDouble(x) - 150 - 120 * Math.abs(Math.sin(x / 90.0 + i));
                canvas.veil((i == 1) ? new Color(0x9d7bff) : canvas.light, 0.16,
                        new Rectangle2D.Double(x, top, 8, edge.applyAsDouble(x) - top));
            }
        }
        canvas.ridge(canvas.haze(0.75), canvas.waves(HEIGHT * 0.70, 46));
        DoubleUnaryOperator shore = canvas.waves(HEIGHT * 0.82, 16);
        for (double x = 0; x < WIDTH; x += 26) {
            motifs.fir(canvas.ground, x, shore.applyAsDouble(x) + 10, 40 + canvas.random.nextInt(60));
        }
        canvas.ridge(canvas.ground, shore);
    }),

    BALLOONS((canvas, motifs) -> {
        canvas.ridge(canvas.haze(0.35), canvas.waves(HEIGHT * 0.78, 30));
        canvas.ridge(canvas.haze(0.7), canvas.waves(HEIGHT * 0.86, 22));
        canvas.ridge(canvas.ground, canvas.waves(HEIGHT * 0.94, 14));
        Color[] cloths = { canvas.light, new Color(0xf7b32b), new Color(0x3d7ea6), new Color(0xf4f1de),
                new Color(0xa63d66) };
        for (int i = 0; i < 7; i++) {
            double radius = 22 + 8 * i;
            motifs.balloon(cloths[i % cloths.length], WIDTH * (0.08 + 0.84 * ((i * 0.381966 + 0.31) % 1)),
                    HEIGHT * (0.12 + 0.4 * canvas.random.nextDouble()) + radius / 2, radius);
        }
    });

    private final BiConsumer<Canvas, Motifs> brush;

    Scene(BiConsumer<Canvas, Motifs> brush) {
        this.brush = brush;
    }

    /**
     * Paints a landscape.
     * @param seed of what is left to chance
     * @param colours sky above, sky below, sun or lights, nearest ground; RGB
     * @return the picture
     */
    BufferedImage paint(long seed, int... colours) {
        Canvas canvas = new Canvas(seed, colours);
        this.brush.accept(canvas, new Motifs(canvas));
        return canvas.image();
    }

}
