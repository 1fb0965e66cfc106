package io.shardedid.sample.demo;

import java.awt.AlphaComposite;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;

import javax.imageio.ImageIO;

/**
 * A small landscape in flat colours, painted here so that the sample ships no picture of
 * anybody's. The same seed paints the same picture.
 */
final class Painting {

    private static final int WIDTH = 960;

    private static final int HEIGHT = 720;

    /** Painted smaller than planned: a start waits for these pictures. */
    private static final double SCALE = 5.0 / 6;

    private static final int SKY_BANDS = 36;

    private final BufferedImage image = new BufferedImage((int) (WIDTH * SCALE), (int) (HEIGHT * SCALE),
            BufferedImage.TYPE_INT_RGB);

    private final Graphics2D graphics = this.image.createGraphics();

    private final Random random;

    private final Color above;

    private final Color below;

    private final Color light;

    private final Color ground;

    private Painting(long seed, int[] colours) {
        this.random = new Random(seed);
        this.above = new Color(colours[0]);
        this.below = new Color(colours[1]);
        this.light = new Color(colours[2]);
        this.ground = new Color(colours[3]);
        this.graphics.scale(SCALE, SCALE);
        this.graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    }

    static byte[] png(DemoPhoto photo, long seed) {
        Painting painting = new Painting(seed, photo.colours());
        painting.sky();
        photo.scene().paint(painting);
        painting.graphics.dispose();
        ByteArrayOutputStream png = new ByteArrayOutputStream();
        try {
            ImageIO.write(painting.image, "png", png);
        }
        catch (IOException ex) {
            throw new UncheckedIOException("Could not write a PNG to memory", ex);
        }
        return png.toByteArray();
    }

    void hills() {
        sun(WIDTH * (0.2 + 0.6 * this.random.nextDouble()), HEIGHT * 0.38, 62);
        for (int i = 1; i <= 5; i++) {
            ridge(haze(i / 5.0), waves(HEIGHT * (0.40 + 0.10 * i), 50 - 4 * i));
        }
    }

    void sea() {
        double horizon = HEIGHT * 0.58;
        double x = WIDTH * (0.3 + 0.4 * this.random.nextDouble());
        sun(x, horizon - 20, 92);
        for (int i = 0; i < 14; i++) {
            double y = horizon + (HEIGHT - horizon) * i / 14;
            fill(haze(0.45 + 0.55 * i / 13), new Rectangle2D.Double(0, y, WIDTH, HEIGHT - y));
            double half = 95 * (1 - i / 18.0) * (0.5 + this.random.nextDouble());
            veil(this.light, 0.8f - 0.05f * i, new Rectangle2D.Double(x - half, y + 4, 2 * half, 7));
        }
        boat(WIDTH * (0.1 + 0.15 * this.random.nextDouble()), horizon + 45);
    }

    void city() {
        disc(this.light, WIDTH * 0.78, HEIGHT * 0.2, 44);
        stars(60);
        for (int row = 1; row <= 3; row++) {
            Color wall = haze(0.4 + 0.2 * row);
            for (double x = -20; x < WIDTH;) {
                double width = 50 + this.random.nextInt(70);
                double top = HEIGHT * (0.22 + 0.17 * row) + this.random.nextInt(130);
                fill(wall, new Rectangle2D.Double(x, top, width, HEIGHT - top));
                windows(row, x, top, width);
                x += width + this.random.nextInt(14);
            }
        }
    }

    void peaks() {
        sun(WIDTH * (0.15 + 0.7 * this.random.nextDouble()), HEIGHT * 0.24, 40);
        for (int i = 1; i <= 3; i++) {
            double base = HEIGHT * (0.42 + 0.16 * i);
            for (int j = 0; j < 4; j++) {
                double x = WIDTH * (j + this.random.nextDouble()) / 4;
                double height = (300 - 60 * i) * (0.7 + 0.5 * this.random.nextDouble());
                peak(haze(0.3 + 0.2 * i), x, base, height);
            }
            ridge(haze(0.3 + 0.2 * i), waves(base - 8, 12));
        }
        ridge(this.ground, waves(HEIGHT * 0.93, 14));
    }

    void forest() {
        sun(WIDTH * (0.25 + 0.5 * this.random.nextDouble()), HEIGHT * 0.33, 70);
        for (int i = 1; i <= 5; i++) {
            Color colour = haze(0.15 + 0.17 * i);
            DoubleUnaryOperator hill = waves(HEIGHT * (0.36 + 0.115 * i), 34);
            ridge(colour, hill);
            double size = 26 + 20 * i;
            for (double x = -20; x < WIDTH + 20; x += size * (0.35 + 0.5 * this.random.nextDouble())) {
                fir(colour, x, hill.applyAsDouble(x) + size * 0.3, size * (0.8 + 0.7 * this.random.nextDouble()));
            }
        }
    }

    void aurora() {
        stars(160);
        for (int i = 0; i < 3; i++) {
            DoubleUnaryOperator edge = waves(HEIGHT * (0.52 - 0.09 * i), 60);
            for (int x = 0; x < WIDTH; x += 8) {
                double top = edge.applyAsDouble(x) - 150 - 120 * Math.abs(Math.sin(x / 90.0 + i));
                veil((i == 1) ? new Color(0x9d7bff) : this.light, 0.16f,
                        new Rectangle2D.Double(x, top, 8, edge.applyAsDouble(x) - top));
            }
        }
        ridge(haze(0.75), waves(HEIGHT * 0.70, 46));
        DoubleUnaryOperator shore = waves(HEIGHT * 0.82, 16);
        for (double x = 0; x < WIDTH; x += 26) {
            fir(this.ground, x, shore.applyAsDouble(x) + 10, 40 + this.random.nextInt(60));
        }
        ridge(this.ground, shore);
    }

    void balloons() {
        ridge(haze(0.35), waves(HEIGHT * 0.78, 30));
        ridge(haze(0.7), waves(HEIGHT * 0.86, 22));
        ridge(this.ground, waves(HEIGHT * 0.94, 14));
        Color[] cloths = { this.light, new Color(0xf7b32b), new Color(0x3d7ea6), new Color(0xf4f1de),
                new Color(0xa63d66) };
        for (int i = 0; i < 7; i++) {
            double radius = 22 + 8 * i;
            balloon(cloths[i % cloths.length], WIDTH * (0.08 + 0.84 * ((i * 0.381966 + 0.31) % 1)),
                    HEIGHT * (0.12 + 0.4 * this.random.nextDouble()) + radius / 2, radius);
        }
    }

    private void sky() {
        for (int i = 0; i < SKY_BANDS; i++) {
            fill(mix(this.above, this.below, i / (SKY_BANDS - 1.0)),
                    new Rectangle2D.Double(0, HEIGHT * 0.75 * i / SKY_BANDS, WIDTH, HEIGHT));
        }
    }

    private void sun(double x, double y, double radius) {
        veil(this.light, 0.18f, circle(x, y, radius * 1.9));
        veil(this.light, 0.28f, circle(x, y, radius * 1.4));
        disc(this.light, x, y, radius);
    }

    private void stars(int count) {
        for (int i = 0; i < count; i++) {
            veil(Color.WHITE, 0.3f + 0.6f * this.random.nextFloat(), circle(this.random.nextInt(WIDTH),
                    this.random.nextInt(HEIGHT / 2), 0.8 + this.random.nextDouble()));
        }
    }

    private void boat(double x, double y) {
        Path2D hull = polygon(x, y, x + 90, y, x + 74, y + 20, x + 16, y + 20);
        fill(this.ground, hull);
        fill(mix(this.below, Color.WHITE, 0.6), polygon(x + 42, y - 80, x + 42, y - 6, x + 84, y - 6));
        fill(mix(this.below, Color.WHITE, 0.3), polygon(x + 36, y - 66, x + 36, y - 6, x + 10, y - 6));
    }

    private void windows(int row, double left, double top, double width) {
        for (double y = top + 14; y < HEIGHT - 10; y += 24) {
            for (double x = left + 9; x < left + width - 12; x += 17) {
                if (this.random.nextInt(10) < 1 + row) {
                    veil(this.light, 0.35f + 0.2f * row, new Rectangle2D.Double(x, y, 8, 12));
                }
            }
        }
    }

    private void peak(Color rock, double x, double base, double height) {
        double half = height * 0.85;
        fill(rock, polygon(x - half, base, x, base - height, x + half, base));
        fill(mix(rock, Color.BLACK, 0.16), polygon(x, base - height, x + half, base, x + half * 0.12, base));
        double snow = height * 0.32;
        double side = half * 0.32;
        fill(mix(this.light, rock, 0.12),
                polygon(x, base - height, x + side, base - height + snow, x + side * 0.45, base - height + snow * 0.75,
                        x, base - height + snow * 1.15, x - side * 0.5, base - height + snow * 0.8, x - side,
                        base - height + snow));
    }

    private void fir(Color colour, double x, double foot, double height) {
        for (int i = 0; i < 3; i++) {
            double tip = foot - height * (1 - 0.24 * i);
            double half = height * (0.13 + 0.06 * i);
            fill(colour, polygon(x, tip, x + half, tip + height * 0.5, x - half, tip + height * 0.5));
        }
    }

    private void balloon(Color cloth, double x, double y, double radius) {
        fill(cloth, circle(x, y, radius));
        fill(cloth, polygon(x - radius * 0.9, y + radius * 0.44, x + radius * 0.9, y + radius * 0.44, x + radius * 0.2,
                y + radius * 1.5, x - radius * 0.2, y + radius * 1.5));
        veil(Color.WHITE, 0.4f, new Ellipse2D.Double(x - radius * 0.36, y - radius, radius * 0.72, radius * 2.3));
        fill(mix(this.ground, Color.BLACK, 0.4),
                new Rectangle2D.Double(x - radius * 0.17, y + radius * 1.68, radius * 0.34, radius * 0.3));
    }

    /** The ground's colour as it looks from afar: 0 is the horizon, 1 is near. */
    private Color haze(double nearness) {
        return mix(this.below, this.ground, nearness);
    }

    private DoubleUnaryOperator waves(double y, double height) {
        double[] phase = { 7 * this.random.nextDouble(), 7 * this.random.nextDouble(), 7 * this.random.nextDouble() };
        return (x) -> y + height
                * (Math.sin(x / 210 + phase[0]) + 0.5 * Math.sin(x / 90 + phase[1]) + 0.2 * Math.sin(x / 37 + phase[2]))
                / 1.7;
    }

    private void ridge(Color colour, DoubleUnaryOperator line) {
        Path2D path = new Path2D.Double();
        path.moveTo(0, HEIGHT);
        for (int x = 0; x <= WIDTH; x += 6) {
            path.lineTo(x, line.applyAsDouble(x));
        }
        path.lineTo(WIDTH, HEIGHT);
        fill(colour, path);
    }

    private void disc(Color colour, double x, double y, double radius) {
        fill(colour, circle(x, y, radius));
    }

    private void fill(Color colour, Shape shape) {
        this.graphics.setColor(colour);
        this.graphics.fill(shape);
    }

    private void veil(Color colour, float density, Shape shape) {
        this.graphics.setComposite(AlphaComposite.getInstance(AlphaComposite.SRC_OVER, Math.max(0, density)));
        fill(colour, shape);
        this.graphics.setComposite(AlphaComposite.SrcOver);
    }

    private static Ellipse2D circle(double x, double y, double radius) {
        return new Ellipse2D.Double(x - radius, y - radius, 2 * radius, 2 * radius);
    }

    private static Path2D polygon(double... points) {
        Path2D path = new Path2D.Double();
        path.moveTo(points[0], points[1]);
        for (int i = 2; i < points.length; i += 2) {
            path.lineTo(points[i], points[i + 1]);
        }
        path.closePath();
        return path;
    }

    private static Color mix(Color from, Color to, double share) {
        return new Color((int) (from.getRed() + (to.getRed() - from.getRed()) * share),
                (int) (from.getGreen() + (to.getGreen() - from.getGreen()) * share),
                (int) (from.getBlue() + (to.getBlue() - from.getBlue()) * share));
    }

}
