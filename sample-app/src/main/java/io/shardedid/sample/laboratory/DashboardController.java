package io.shardedid.sample.laboratory;

import java.util.List;

import io.shardedid.spring.actuate.ShardedIdEndpoint;

import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseBody;

/**
 * The page that shows what the ids are doing. Its numbers are the actuator's: here when
 * the page is made, then every second when a script asks the actuator itself.
 */
@Controller
class DashboardController {

    private final Figures figures;

    private final Shards shards;

    private final EventLog events;

    private final ShardedIdEndpoint endpoint;

    DashboardController(Figures figures, Shards shards, EventLog events, ShardedIdEndpoint endpoint) {
        this.figures = figures;
        this.shards = shards;
        this.events = events;
        this.endpoint = endpoint;
    }

    @GetMapping("/dashboard")
    String page(Model model) {
        model.addAttribute("figures", this.figures.now());
        model.addAttribute("shards", this.shards.now());
        model.addAttribute("events", this.events.newestFirst());
        model.addAttribute("engine", this.endpoint.engine());
        return "dashboard";
    }

    @GetMapping("/api/dashboard/shards")
    @ResponseBody
    ShardsView shards() {
        return this.shards.now();
    }

    @GetMapping("/api/dashboard/events")
    @ResponseBody
    List<EventLog.Event> events() {
        return this.events.newestFirst();
    }

}
