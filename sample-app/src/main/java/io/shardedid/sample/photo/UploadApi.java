package io.shardedid.sample.photo;

import java.io.IOException;
import java.net.URI;

import io.shardedid.sample.user.Visitor;
import org.jspecify.annotations.Nullable;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.SessionAttribute;
import org.springframework.web.multipart.MultipartFile;

/**
 * Uploading a photo as a program does it: multipart in, JSON out.
 */
@RestController
class UploadApi {

    private final Publisher publisher;

    UploadApi(Publisher publisher) {
        this.publisher = publisher;
    }

    @PostMapping("/api/photos")
    ResponseEntity<Published> upload(
            @SessionAttribute(name = Visitor.ATTRIBUTE, required = false) @Nullable Visitor visitor,
            @RequestParam(defaultValue = "") String caption, @RequestParam MultipartFile image) throws IOException {
        String id = Long.toString(this.publisher.publish(visitor, caption, image).getId());
        return ResponseEntity.created(URI.create("/api/photos/" + id)).body(new Published(id));
    }

    /**
     * What an upload answers.
     *
     * @param id the id of the photo, as text
     */
    record Published(String id) {
    }

}
