package io.shardedid.sample.photo;

import java.io.IOException;

import io.shardedid.sample.user.Visitor;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.SessionAttribute;
import org.springframework.web.multipart.MultipartFile;

/**
 * The page on which a photo is uploaded.
 */
@Controller
class UploadController {

    private final Publisher publisher;

    UploadController(Publisher publisher) {
        this.publisher = publisher;
    }

    @GetMapping("/upload")
    String form(@SessionAttribute(name = Visitor.ATTRIBUTE, required = false) @Nullable Visitor visitor) {
        return (visitor != null) ? "upload" : "redirect:/sign-up";
    }

    @PostMapping("/photos")
    String upload(@SessionAttribute(name = Visitor.ATTRIBUTE, required = false) @Nullable Visitor visitor,
            @RequestParam(defaultValue = "") String caption, @RequestParam MultipartFile image) throws IOException {
        this.publisher.publish(visitor, caption, image);
        return "redirect:/";
    }

}
