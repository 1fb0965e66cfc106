package io.shardedid.sample.like;

import io.shardedid.sample.photo.Photo;
import io.shardedid.sample.photo.Photos;
import io.shardedid.sample.problem.Problems;
import io.shardedid.sample.user.User;
import io.shardedid.sample.user.Users;
import io.shardedid.sample.user.Visitor;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.stereotype.Service;

/**
 * Gives likes and takes them back. Doing either twice is the same as once.
 */
@Service
public class Liking {

    private final Likes likes;

    private final Photos photos;

    private final Users users;

    Liking(Likes likes, Photos photos, Users users) {
        this.likes = likes;
        this.photos = photos;
        this.users = users;
    }

    void like(long photoId, @Nullable Visitor visitor) {
        like(photo(photoId), user(visitor));
    }

    void like(Photo photo, User user) {
        if (this.likes.existsByPhotoIdAndUserId(photo.getId(), user.getId())) {
            return;
        }
        try {
            this.likes.save(new Like(photo, user));
        }
        catch (DataIntegrityViolationException twice) {
            // The same click came twice at once: the unique constraint kept one.
            if (!this.likes.existsByPhotoIdAndUserId(photo.getId(), user.getId())) {
                throw twice;
            }
        }
    }

    void unlike(long photoId, @Nullable Visitor visitor) {
        this.likes.delete(photo(photoId).getId(), user(visitor).getId());
    }

    /** Likes what the visitor does not like, and the other way round. */
    void flip(long photoId, @Nullable Visitor visitor) {
        if (this.likes.existsByPhotoIdAndUserId(photoId, user(visitor).getId())) {
            unlike(photoId, visitor);
        }
        else {
            like(photoId, visitor);
        }
    }

    private Photo photo(long id) {
        return this.photos.findById(id).orElseThrow(() -> Problems.unknown("photo", id));
    }

    private User user(@Nullable Visitor visitor) {
        if (visitor == null) {
            throw Problems.signUpFirst();
        }
        return this.users.findById(visitor.id()).orElseThrow(Problems::signUpFirst);
    }

}
