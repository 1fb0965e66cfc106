package io.shardedid.sample.dashboard;

import java.time.Instant;

import io.shardedid.ShardedIdEngine;

import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;

/**
 * The page that shows who holds which worker id.
 */
@Controller
class WorkerController {

    private final ShardedIdEngine ids;

    WorkerController(ShardedIdEngine ids) {
        this.ids = ids;
    }

    @GetMapping("/workers")
    String workers(Model model) {
        Instant now = this.ids.clock().instant();
        model.addAttribute("workers",
                this.ids.workers().stream().map((holding) -> WorkerView.of(holding, now)).toList());
        model.addAttribute("capacity", (1 << this.ids.layout().workerBits()) - 1);
        return "workers";
    }

}
