package io.shardedid.sample.photo;

import java.time.Duration;

import io.shardedid.jackson.JsonShardedId;
import io.shardedid.sample.problem.Problems;

import org.springframework.http.CacheControl;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;

/**
 * Serves image bytes. The image of an id never changes, so browsers keep it.
 */
@Controller
class ImageController {

    private static final CacheControl FOREVER = CacheControl.maxAge(Duration.ofDays(365)).immutable();

    private final PhotoImages images;

    ImageController(PhotoImages images) {
        this.images = images;
    }

    @GetMapping("/photos/{id}/image")
    ResponseEntity<byte[]> original(@PathVariable @JsonShardedId long id) {
        StoredImage image = this.images.findOriginalByPhotoId(id).orElseThrow(() -> Problems.unknown("photo", id));
        return answer(MediaType.parseMediaType(image.getMediaType()), image.getOriginal());
    }

    @GetMapping("/photos/{id}/thumbnail")
    ResponseEntity<byte[]> thumbnail(@PathVariable @JsonShardedId long id) {
        return answer(MediaType.IMAGE_JPEG,
                this.images.findThumbnailByPhotoId(id).orElseThrow(() -> Problems.unknown("photo", id)).getThumbnail());
    }

    private static ResponseEntity<byte[]> answer(MediaType type, byte[] bytes) {
        return ResponseEntity.ok().cacheControl(FOREVER).contentType(type).body(bytes);
    }

}
