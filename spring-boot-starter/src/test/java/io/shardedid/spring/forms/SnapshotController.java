package io.shardedid.spring.forms;

import java.util.List;
import java.util.Optional;

import io.shardedid.jackson.JsonShardedId;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.MvcUriComponentsBuilder;

@RestController
class SnapshotController {

    private final Snapshots snapshots;

    SnapshotController(Snapshots snapshots) {
        this.snapshots = snapshots;
    }

    @GetMapping("/snapshots/{id}")
    Snapshot snapshot(@PathVariable @JsonShardedId(Snapshot.class) long id) {
        return this.snapshots.findById(id).orElseThrow();
    }

    @GetMapping("/entities/{snapshot}")
    String entity(@PathVariable Snapshot snapshot) {
        return "id=%s".formatted(snapshot.getId());
    }

    @GetMapping("/entities")
    String entities(@RequestParam List<Snapshot> snapshots) {
        return "ids=%s".formatted(snapshots.stream().map(Snapshot::getId).toList());
    }

    @GetMapping("/numbers")
    String numbers(@RequestParam @JsonShardedId(Snapshot.class) List<Long> ids,
            @RequestParam @JsonShardedId(Snapshot.class) Optional<Long> after,
            @RequestParam(required = false) @JsonShardedId Long owner) {
        return "ids=%s, after=%s, owner=%s".formatted(ids, after.orElse(null), owner);
    }

    @GetMapping("/search")
    String search(@ModelAttribute Search search) {
        return "after=%s".formatted(search.after());
    }

    @GetMapping("/owners/{owner}/snapshots")
    List<Snapshots.Line> ofOwner(@PathVariable @JsonShardedId(Owner.class) long owner) {
        return this.snapshots.findByOwner(owner);
    }

    @GetMapping("/link")
    String link(@RequestParam long number) {
        return MvcUriComponentsBuilder
            .fromMethodCall(MvcUriComponentsBuilder.on(SnapshotController.class).snapshot(number))
            .build()
            .getPath();
    }

    @PostMapping("/views")
    SnapshotView view(@RequestBody SnapshotView view) {
        return view;
    }

    record Search(@JsonShardedId(Snapshot.class) Long after) {
    }

}
