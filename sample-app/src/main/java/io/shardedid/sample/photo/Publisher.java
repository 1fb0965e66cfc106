package io.shardedid.sample.photo;

import java.io.IOException;

import io.shardedid.sample.problem.Problems;
import io.shardedid.sample.user.User;
import io.shardedid.sample.user.Users;
import io.shardedid.sample.user.Visitor;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.InputStreamSource;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Publishes photos.
 */
@Service
public class Publisher {

    private final Users users;

    private final Photos photos;

    private final PhotoImages images;

    private final Decoding decoding;

    private final TransactionTemplate transaction;

    Publisher(Users users, Photos photos, PhotoImages images, Decoding decoding, TransactionTemplate transaction) {
        this.users = users;
        this.photos = photos;
        this.images = images;
        this.decoding = decoding;
        this.transaction = transaction;
    }

    /**
     * Checks an uploaded file and publishes it.
     * @param visitor who published it, if anybody is signed up
     * @param caption what the author says; made one line, and cut to
     * {@link Photo#CAPTION_LENGTH}
     * @param file the uploaded file
     * @return the photo, which has an id
     */
    Photo publish(@Nullable Visitor visitor, String caption, InputStreamSource file) throws IOException {
        if (visitor == null) {
            throw Problems.signUpFirst();
        }
        User author = this.users.findById(visitor.id()).orElseThrow(Problems::signUpFirst);
        // Decoding takes long; a connection is taken only after it.
        return publish(author, caption, this.decoding.read(file));
    }

    public Photo publish(User author, String caption, UploadedImage image) {
        Photo photo = new Photo(author, line(caption), image.width(), image.height());
        this.transaction.executeWithoutResult((status) -> {
            this.photos.save(photo);
            this.images.save(new PhotoImage(photo, image));
        });
        return photo;
    }

    /**
     * Databases refuse a zero and half a surrogate pair, so neither comes nor is made.
     */
    private static String line(String caption) {
        String line = caption.replaceAll("[\\p{Cc}\\p{Cs}]+", " ").strip();
        if (line.length() <= Photo.CAPTION_LENGTH) {
            return line;
        }
        boolean halves = Character.isHighSurrogate(line.charAt(Photo.CAPTION_LENGTH - 1));
        return line.substring(0, halves ? Photo.CAPTION_LENGTH - 1 : Photo.CAPTION_LENGTH);
    }

}
