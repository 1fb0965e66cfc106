package com.acme.photos;

import java.util.Arrays;
import java.util.List;

import io.shardedid.routing.InShardFor;
import io.shardedid.routing.InShardOf;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** What the application does in transactions. */
@Service
public class Feed {

    private final Photos photos;

    public Feed(Photos photos) {
        this.photos = photos;
    }

    @Transactional
    public List<Photo> publish(long... users) {
        return this.photos
            .saveAllAndFlush(Arrays.stream(users).mapToObj((user) -> new Photo(user, "of " + user)).toList());
    }

    @Transactional(readOnly = true)
    public int compare(long one, long other) {
        return this.photos.findById(one)
            .orElseThrow()
            .getCaption()
            .compareTo(this.photos.findById(other).orElseThrow().getCaption());
    }

    @Transactional
    public void rename(long id, String caption) {
        this.photos.findById(id).orElseThrow().setCaption(caption);
    }

    @Transactional
    public void renameBoth(long one, long other, String caption) {
        this.photos.findById(one).orElseThrow().setCaption(caption);
        try {
            this.photos.findById(other).orElseThrow().setCaption(caption);
        }
        catch (RuntimeException ex) {
            // the refusal stays in force
        }
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void renameApart(long id, String caption) {
        rename(id, caption);
    }

    @InShardOf("#id")
    @Transactional
    public long countBeside(long id) {
        return this.photos.count();
    }

    @InShardFor("#user")
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public long countOf(long user) {
        return this.photos.count();
    }

    @Transactional(isolation = Isolation.SERIALIZABLE)
    public void serializable(long id) {
        this.photos.findById(id);
    }

}
