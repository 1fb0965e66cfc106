package io.shardedid.sample.photo;

import io.shardedid.sample.problem.Problems;
import io.shardedid.sample.user.User;
import io.shardedid.sample.user.Users;
import io.shardedid.sample.user.Visitor;
import org.jspecify.annotations.Nullable;

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

    private final TransactionTemplate transaction;

    Publisher(Users users, Photos photos, PhotoImages images, TransactionTemplate transaction) {
        this.users = users;
        this.photos = photos;
        this.images = images;
        this.transaction = transaction;
    }

    /**
     * Checks an uploaded file and publishes it.
     * @param visitor who published it, if anybody is signed up
     * @param caption what the author says; cut to {@link Photo#CAPTION_LENGTH}
     * @param file the uploaded file
     * @return the photo, which has an id
     */
    public Photo publish(@Nullable Visitor visitor, String caption, byte[] file) {
        if (visitor == null) {
            throw Problems.signUpFirst();
        }
        User author = this.users.findById(visitor.id()).orElseThrow(Problems::signUpFirst);
        return publish(author, caption, file);
    }

    public Photo publish(User author, String caption, byte[] file) {
        // Decoding takes long; a connection is taken only after it.
        return publish(author, caption, UploadedImage.read(file));
    }

    public Photo publish(User author, String caption, UploadedImage image) {
        Photo photo = new Photo(author, cut(caption.strip()), image.width(), image.height());
        this.transaction.executeWithoutResult((status) -> {
            this.photos.save(photo);
            this.images.save(new PhotoImage(photo, image));
        });
        return photo;
    }

    private static String cut(String caption) {
        return (caption.length() <= Photo.CAPTION_LENGTH) ? caption : caption.substring(0, Photo.CAPTION_LENGTH);
    }

}
