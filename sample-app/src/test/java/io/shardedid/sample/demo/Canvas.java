package io.shardedid.sample.demo;

import java.awt.AlphaComposite;
import java.awt.Color;
import java.awt.GradientPaint;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;

/**
 * What a landscape is painted on and with: shapes in flat colours, and chance from a
 * seed, so that the same seed paints the same picture.
 */
final class Canvas {

    static final int WIDTH = 960;

    static final int HEIGHT = 720;

    final Random random;

    final Color above;

    final Color below;

    final Color light;

    final Color ground;

    private final BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);

    private final Graphics2D graphics = this.image.createGraphics();

    /**
     * Makes a canvas with nothing but its sky.
     * @param seed of what is left to chance
     * @param colours sky above, sky below, sun or lights, nearest ground; RGB
     */
    Canvas(long seed, int... colours) {
        this.random = new Random(seed);
        this.above = new Color(colours[0]);
        this.below = new Color(colours[1]);
        this.light = new Color(colours[2]);
        this.ground = new Color(colours[3]);
        this.graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        this.graphics.setPaint(new GradientPaint(0, 0, this.above, 0, HEIGHT * 0.75f, this.below));
        this.graphics.fill(new Rectangle2D.Double(0, 0, WIDTH, HEIGHT));
    }

    BufferedImage image() {
        return this.image;
    }

    void fill(Color colour, Shape shape) {
        this.graphics.setColor(colour);
        this.graphics.fill(shape);
    }

    void veil(Color colour, double density, Shape shape) {
        this.graphics.setComposite(AlphaComposite.getInstance(AlphaComposite.SRC_OVER, (float) Math.max(0, density)));
        fill(colour, shape);
        this.graphics.setComposite(AlphaComposite.SrcOver);
    }

    /** Everything below a line. */
    void ridge(Color colour, DoubleUnaryOperator line) {
        Path2D path = new Path2D.Double();
        path.moveTo(0, HEIGHT);
        for (int x = 0; x <= WIDTH; x += 6) {
            path.lineTo(x, line.applyAsDouble(x));
        }
        path.lineTo(WIDTH, HEIGHT);
        fill(colour, path);
    }

    DoubleUnaryOperator waves(double y, double height) {
        double[] phase = { 7 * this.random.nextDouble(), 7 * this.random.nextDouble(), 7 * this.random.nextDouble() };
        return (x) -> y + height
                * (Math.sin(x / 210 + phase[0]) + 0.5 * Math.sin(x / 90 + phase[1]) + 0.2 * Math.sin(x / 37 + phase[2]))
                / 1.7;
    }

    /** The ground's colour as it looks from afar: 0 is the horizon, 1 is near. */
    Color haze(double nearness) {
        return mix(this.below, this.ground, nearness);
    }

    static Ellipse2D circle(double x, double y, double radius) {
        return new Ellipse2D.Double(x - radius, y - radius, 2 * radius, 2 * radius);
    }

    static Path2D polygon(double... points) {
        Path2D path = new Path2D.Double();
        path.moveTo(points[0], points[1]);
        for (int i = 2; i < points.length; i += 2) {
            path.lineTo(points[i], points[i + 1]);
        }
        path.closePath();
        return path;
    }

    static Color mix(Color from, Color to, double share) {
        return new Color((int) (from.getRed() + (to.getRed() - from.getRed()) * share),
                (int) (from.getGreen() + (to.getGreen() - from.getGreen()) * share),
                (int) (from.getBlue() + (to.getBlue() - from.getBlue()) * share));
    }

}
