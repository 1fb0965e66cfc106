package io.shardedid.sample.demo;

import java.awt.Color;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Rectangle2D;

import static io.shardedid.sample.demo.Canvas.circle;
import static io.shardedid.sample.demo.Canvas.mix;
import static io.shardedid.sample.demo.Canvas.polygon;

/**
 * What stands in a landscape.
 */
final class Motifs {

    private final Canvas canvas;

    Motifs(Canvas canvas) {
        this.canvas = canvas;
    }

    void sun(double x, double y, double radius) {
        this.canvas.veil(this.canvas.light, 0.18, circle(x, y, radius * 1.9));
        this.canvas.veil(this.canvas.light, 0.28, circle(x, y, radius * 1.4));
        this.canvas.fill(this.canvas.light, circle(x, y, radius));
    }

    void stars(int count) {
        for (int i = 0; i < count; i++) {
            this.canvas.veil(Color.WHITE, 0.3 + 0.6 * this.canvas.random.nextFloat(),
                    circle(this.canvas.random.nextInt(Canvas.WIDTH), this.canvas.random.nextInt(Canvas.HEIGHT / 2),
                            0.8 + this.canvas.random.nextDouble()));
        }
    }

    void boat(double x, double y) {
        this.canvas.fill(this.canvas.ground, polygon(x, y, x + 90, y, x + 74, y + 20, x + 16, y + 20));
        this.canvas.fill(mix(this.canvas.below, Color.WHITE, 0.6),
                polygon(x + 42, y - 80, x + 42, y - 6, x + 84, y - 6));
        this.canvas.fill(mix(this.canvas.below, Color.WHITE, 0.3),
                polygon(x + 36, y - 66, x + 36, y - 6, x + 10, y - 6));
    }

    void house(Color wall, double left, double top, double width, int row) {
        this.canvas.fill(wall, new Rectangle2D.Double(left, top, width, Canvas.HEIGHT - top));
        for (double y = top + 14; y < Canvas.HEIGHT - 10; y += 24) {
            for (double x = left + 9; x < left + width - 12; x += 17) {
                if (this.canvas.random.nextInt(10) < 1 + row) {
                    this.canvas.veil(this.canvas.light, 0.35 + 0.2 * row, new Rectangle2D.Double(x, y, 8, 12));
                }
            }
        }
    }

    void peak(Color rock, double x, double base, double height) {
        double half = height * 0.85;
        this.canvas.fill(rock, polygon(x - half, base, x, base - height, x + half, base));
        this.canvas.fill(mix(rock, Color.BLACK, 0.16),
                polygon(x, base - height, x + half, base, x + half * 0.12, base));
        double snow = height * 0.32;
        double side = half * 0.32;
        this.canvas.fill(mix(this.canvas.light, rock, 0.12),
                polygon(x, base - height, x + side, base - height + snow, x + side * 0.45, base - height + snow * 0.75,
                        x, base - height + snow * 1.15, x - side * 0.5, base - height + snow * 0.8, x - side,
                        base - height + snow));
    }

    void fir(Color colour, double x, double foot, double height) {
        for (int i = 0; i < 3; i++) {
            double tip = foot - height * (1 - 0.24 * i);
            double half = height * (0.13 + 0.06 * i);
            this.canvas.fill(colour, polygon(x, tip, x + half, tip + height * 0.5, x - half, tip + height * 0.5));
        }
    }

    void balloon(Color cloth, double x, double y, double radius) {
        this.canvas.fill(cloth, circle(x, y, radius));
        this.canvas.fill(cloth, polygon(x - radius * 0.9, y + radius * 0.44, x + radius * 0.9, y + radius * 0.44,
                x + radius * 0.2, y + radius * 1.5, x - radius * 0.2, y + radius * 1.5));
        this.canvas.veil(Color.WHITE, 0.4,
                new Ellipse2D.Double(x - radius * 0.36, y - radius, radius * 0.72, radius * 2.3));
        this.canvas.fill(mix(this.canvas.ground, Color.BLACK, 0.4),
                new Rectangle2D.Double(x - radius * 0.17, y + radius * 1.68, radius * 0.34, radius * 0.3));
    }

}
