package io.shardedid.sample.photo;

import io.shardedid.sample.user.User;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Publishes photos.
 */
@Service
public class Publisher {

    private final Photos photos;

    private final PhotoImages images;

    Publisher(Photos photos, PhotoImages images) {
        this.photos = photos;
        this.images = images;
    }

    /**
     * Publishes a photo, which gets its id here.
     * @param author who publishes it
     * @param caption what the author says, at most {@link Photo#CAPTION_LENGTH}
     * characters
     * @param picture what it shows
     * @return the photo, which has an id
     */
    @Transactional
    public Photo publish(User author, String caption, Picture picture) {
        Photo photo = this.photos.save(new Photo(author, caption, picture.width(), picture.height()));
        this.images.save(new PhotoImage(photo, picture));
        return photo;
    }

}
