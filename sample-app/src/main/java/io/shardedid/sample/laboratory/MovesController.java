package io.shardedid.sample.laboratory;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseBody;

/**
 * The button that moves shards.
 */
@Controller
@Profile("two-databases")
class MovesController {

    private final ShardMoves moves;

    MovesController(ShardMoves moves) {
        this.moves = moves;
    }

    @PostMapping("/moves")
    String move() {
        this.moves.start();
        return "redirect:/dashboard#databases";
    }

    @GetMapping("/api/moves")
    @ResponseBody
    MovesView view() {
        return this.moves.view();
    }

}
