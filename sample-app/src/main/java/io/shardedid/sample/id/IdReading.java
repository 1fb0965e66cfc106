package io.shardedid.sample.id;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.shardedid.IdLayout;
import io.shardedid.IdParts;
import io.shardedid.ShardedIdEngine;
import io.shardedid.sample.photo.Photos;
import io.shardedid.sample.user.Users;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Service;

/**
 * Reads any 64 bits as an id.
 */
@Service
class IdReading {

    private final ShardedIdEngine ids;

    private final IdPictures pictures;

    private final Photos photos;

    private final Users users;

    IdReading(ShardedIdEngine ids, IdPictures pictures, Photos photos, Users users) {
        this.ids = ids;
        this.pictures = pictures;
        this.photos = photos;
        this.users = users;
    }

    IdView read(long id) {
        IdParts parts = (id >= 0) ? this.ids.parse(id) : null;
        List<String> problems = problemsWith(id, parts);
        return new IdView(id, String.format(Locale.ROOT, "0x%016x", id), Base62.of(id), parts, this.pictures.of(id),
                problems, problems.isEmpty() ? row(id) : null, (parts != null) ? OtherForms.of(parts) : List.of(),
                layout());
    }

    private List<String> problemsWith(long id, @Nullable IdParts parts) {
        if (parts == null) {
            return List.of("It is negative: the sign bit is 1, which no layout uses. Nothing made this id.");
        }
        List<String> problems = new ArrayList<>();
        IdLayout layout = this.ids.layout();
        if (layout.tickOf(id) > layout.lastTick()) {
            problems.add("It has bits above the time, which this layout does not use: another layout made it.");
        }
        else if (parts.instant().isAfter(this.ids.clock().instant().plus(this.ids.terms().maxAhead()))) {
            problems.add("Its time has not come yet: nothing here has made it.");
        }
        if (parts.shard() >= this.ids.shards()) {
            problems.add(String.format(Locale.ROOT, "Its shard is outside 0 to %,d, the shards in use.",
                    this.ids.shards() - 1));
        }
        if (this.ids.reader().isOlder(id)) {
            problems
                .add("It is older than the first id made here: a plain number from before, whose bits mean nothing.");
        }
        return List.copyOf(problems);
    }

    private IdView.@Nullable Row row(long id) {
        return this.photos.findById(id)
            .map((photo) -> new IdView.Row("photo", photo.getCaption(), "/photos/" + id))
            .or(() -> this.users.findById(id).map((user) -> new IdView.Row("user", user.getName(), "/users/" + id)))
            .orElse(null);
    }

    IdView.Layout layout() {
        IdLayout layout = this.ids.layout();
        Instant now = this.ids.clock().instant();
        double used = (double) Duration.between(layout.epoch(), now).toMillis()
                / Duration.between(layout.epoch(), layout.lastUsableInstant()).toMillis();
        return new IdView.Layout(layout.describe(), layout.epoch(), layout.lastUsableInstant(), this.ids.shards(),
                1L << layout.workerBits(), 1L << layout.sequenceBits(), 100 * used);
    }

}
