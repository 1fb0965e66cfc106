package io.shardedid.sample.like;

import io.shardedid.sample.user.Visitor;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.SessionAttribute;

/**
 * The like button without JavaScript.
 */
@Controller
class LikeController {

    private final Liking liking;

    LikeController(Liking liking) {
        this.liking = liking;
    }

    /** A visitor without a name is asked for one, and comes back to the photo. */
    @PostMapping("/photos/{id}/like")
    String flip(@PathVariable long id,
            @SessionAttribute(name = Visitor.ATTRIBUTE, required = false) @Nullable Visitor visitor) {
        if (visitor == null) {
            return "redirect:/sign-up?photo=" + id;
        }
        this.liking.flip(id, visitor);
        return "redirect:/photos/" + id;
    }

}
