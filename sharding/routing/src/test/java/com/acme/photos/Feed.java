package com.acme.photos;

import java.util.Arrays;
import java.util.List;

import io.shardedid.routing.InShardFor;
import io.shardedid.routing.InShardOf;
import io.shardedid.routing.Shards;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** What the application does in transactions. */
@Service
public class Feed {

    private final Photos photos;

    private final JdbcTemplate jdbc;

    public Feed(Photos photos, JdbcTemplate jdbc) {
        this.photos = photos;
        this.jdbc = jdbc;
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

    @Transactional(readOnly = true)
    public int compareUsers(long one, long other) {
        return this.photos.findByUserIdOrderByIdDesc(one).size() - this.photos.findByUserIdOrderByIdDesc(other).size();
    }

    public String inShardFor(Object key, Shards shards) {
        return shards.inShardFor(key, () -> "goes on");
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

    @InShardFor("#photo.userId")
    public Photo publishOne(Photo photo) {
        return this.photos.save(photo);
    }

    @Transactional(isolation = Isolation.SERIALIZABLE)
    public String serializable(long id) {
        this.photos.findById(id);
        return settings();
    }

    @Transactional(readOnly = true)
    public String reading(long id) {
        this.photos.findById(id);
        return settings();
    }

    @Transactional
    public String usual(long id) {
        this.photos.findById(id);
        return settings();
    }

    public String settings() {
        return this.jdbc.queryForObject(
                "select current_setting('transaction_isolation') || ', ' || current_setting('transaction_read_only')",
                String.class);
    }

}
