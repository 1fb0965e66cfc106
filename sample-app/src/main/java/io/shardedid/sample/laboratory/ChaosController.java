package io.shardedid.sample.laboratory;

import java.time.Duration;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseBody;

/**
 * The buttons of chaos.
 */
@Controller
@Profile("chaos")
class ChaosController {

    private static final String DASHBOARD = "redirect:/dashboard";

    private static final Duration STEP = Duration.ofHours(1);

    private final Chaos chaos;

    ChaosController(Chaos chaos) {
        this.chaos = chaos;
    }

    @PostMapping("/chaos/clock/back")
    String clockBack() {
        this.chaos.stepClock(STEP.negated());
        return DASHBOARD;
    }

    @PostMapping("/chaos/clock/ahead")
    String clockAhead() {
        this.chaos.stepClock(STEP);
        return DASHBOARD;
    }

    @PostMapping("/chaos/clock/right")
    String clockRight() {
        this.chaos.setClockRight();
        return DASHBOARD;
    }

    @PostMapping("/chaos/database")
    String database() {
        this.chaos.stopDatabase();
        return DASHBOARD;
    }

    @PostMapping("/chaos/lease")
    String lease() {
        this.chaos.killLease();
        return DASHBOARD;
    }

    @GetMapping("/api/chaos")
    @ResponseBody
    ChaosView view() {
        return this.chaos.view();
    }

}
