package io.shardedid.sample.photo;

import java.time.Duration;

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
    ResponseEntity<byte[]> image(@PathVariable long id) {
        byte[] jpeg = this.images.findById(id).orElseThrow(() -> Problems.unknown("photo", id)).getJpeg();
        return ResponseEntity.ok().cacheControl(FOREVER).contentType(MediaType.IMAGE_JPEG).body(jpeg);
    }

}
