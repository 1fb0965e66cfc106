package io.shardedid.spring.gallery;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.shardedid.IdsAheadOfClockException;
import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIdException;
import io.shardedid.WorkerLeaseException;
import io.shardedid.jackson.JsonShardedId;

import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class PictureController {

    @GetMapping("/pictures/{id}")
    PictureView picture(@PathVariable @JsonShardedId long id) {
        return new PictureView(id, id + 1, List.of(id), Map.of("next", id), 3, "dawn");
    }

    @GetMapping("/pictures")
    String pictures(@RequestParam(name = "before", required = false) @JsonShardedId Long older,
            @RequestParam(required = false) @JsonShardedId List<Long> ids,
            @RequestParam @JsonShardedId Optional<Long> after) {
        return "before=%s, ids=%s, after=%s".formatted(older, ids, after.orElse(null));
    }

    @GetMapping("/plain/{id}")
    String plain(@PathVariable Long id, @RequestParam(defaultValue = "1") int limit,
            @RequestParam(required = false) List<Long> ids, @RequestParam(required = false) long[] others) {
        return "id=%s, limit=%s, ids=%s".formatted(id, limit, ids);
    }

    @PostMapping("/pictures")
    PictureView store(@RequestBody PictureView picture) {
        return picture;
    }

    @GetMapping("/bare/{id}")
    Long bare(@PathVariable Long id) {
        return id;
    }

    @GetMapping("/lists/{id}")
    List<Long> list(@PathVariable Long id) {
        return List.of(id);
    }

    @GetMapping("/maps/{id}")
    Map<String, Long> map(@PathVariable Long id) {
        return Map.of("id", id);
    }

    @PostMapping("/links")
    PictureLinks link(@RequestBody PictureLinks links) {
        return links;
    }

    @GetMapping("/entities/{id}")
    Picture entity(@PathVariable @JsonShardedId Long id) {
        Picture picture = new Picture();
        picture.setId(id);
        picture.setAlbumId(7);
        return picture;
    }

    @GetMapping("/refused/{why}")
    String refused(@PathVariable String why) {
        throw switch (why) {
            case "lease" -> new WorkerLeaseException("Worker lease expired: worker=12, owner=shop@host-7");
            case "translated" -> new TransientDataAccessResourceException("no id",
                    new WorkerLeaseException("Worker lease expired: worker=12, owner=shop@host-7"));
            case "ahead" -> new IdsAheadOfClockException("Could not make an id: shard=3 ran ahead of the clock");
            case "none" -> new WorkerLeaseException("Could not make an id: this process makes none", false,
                    "Use another mode.", null);
            case "key" -> new ShardKeyException("Could not generate id of 'Picture': shard key 'albumId' is null");
            case "crossing" -> new ShardedIdException("a bug of the application");
            case "elsewhere" -> new NonTransientDataAccessResourceException("translated", new OutOfReach());
            case "nowhere" -> new ShardKeyException("id=5", ShardKeyException.Reason.NO_SUCH_ID);
            case "assigned" -> new ShardKeyException("Could not keep the assigned id of 'Picture': id=5",
                    ShardKeyException.Reason.ID_NOT_OF_ROW);
            default -> new ShardKeyException("Could not update 'Picture': id=5", ShardKeyException.Reason.KEY_CHANGED);
        };
    }

    /** A refusal of a module that this one does not know. */
    static final class OutOfReach extends ShardedIdException {

        private static final long serialVersionUID = 1L;

        OutOfReach() {
            super("id=5 is in shard 7");
        }

        @Override
        public boolean hidesRow() {
            return true;
        }

    }

}
