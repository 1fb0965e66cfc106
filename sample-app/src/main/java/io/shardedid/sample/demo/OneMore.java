package io.shardedid.sample.demo;

import java.awt.Color;
import java.awt.GradientPaint;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.random.RandomGenerator;

import javax.imageio.ImageIO;

import io.shardedid.sample.photo.Picture;
import io.shardedid.sample.photo.Publisher;
import io.shardedid.sample.problem.Problems;
import io.shardedid.sample.user.SignUp;
import io.shardedid.sample.user.User;
import io.shardedid.sample.user.Users;
import io.shardedid.sample.user.Visitor;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.SessionAttribute;

/**
 * The button that publishes a drawn picture, so that a new id needs neither a file nor a
 * name. The author is the visitor, or one of the people of the first start.
 */
@Controller
class OneMore {

    private static final int WIDTH = 480;

    private static final int HEIGHT = 360;

    private final Users users;

    private final SignUp signUp;

    private final Publisher publisher;

    OneMore(Users users, SignUp signUp, Publisher publisher) {
        this.users = users;
        this.signUp = signUp;
        this.publisher = publisher;
    }

    @PostMapping("/photos/one-more")
    String publish(@SessionAttribute(name = Visitor.ATTRIBUTE, required = false) @Nullable Visitor visitor)
            throws IOException {
        RandomGenerator random = RandomGenerator.getDefault();
        User author = (visitor != null) ? this.users.findById(visitor.id()).orElseThrow(Problems::signUpFirst)
                : this.signUp.named(DemoPhoto.ALL.get(random.nextInt(DemoPhoto.ALL.size())).author());
        this.publisher.publish(author, "One more", picture(random));
        return "redirect:/";
    }

    /** Draws a sun in a sky, each somewhere between morning and night. */
    private static Picture picture(RandomGenerator random) throws IOException {
        BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        float hue = random.nextFloat();
        graphics.setPaint(new GradientPaint(0, 0, Color.getHSBColor(hue, .7f, .5f), 0, HEIGHT,
                Color.getHSBColor(hue + .15f, .4f, 1)));
        graphics.fillRect(0, 0, WIDTH, HEIGHT);
        graphics.setPaint(Color.getHSBColor(hue + .15f, .1f, 1));
        int sun = random.nextInt(HEIGHT / 6, HEIGHT / 3);
        graphics.fillOval(random.nextInt(WIDTH - sun), random.nextInt(HEIGHT - sun), sun, sun);
        graphics.dispose();
        ByteArrayOutputStream jpeg = new ByteArrayOutputStream();
        ImageIO.write(image, "jpeg", jpeg);
        return new Picture(WIDTH, HEIGHT, jpeg.toByteArray());
    }

}
