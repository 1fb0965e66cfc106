package io.shardedid.sample.dashboard;

import java.util.List;
import java.util.Objects;

import io.shardedid.spring.actuate.ShardedIdEndpoint;
import io.shardedid.spring.actuate.ShardedIdEndpoint.EngineDescriptor;
import io.shardedid.spring.actuate.ShardedIdEndpoint.WorkerDescriptor;

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

    private final ShardHistogram shards;

    private final EventLog events;

    private final ShardedIdEndpoint endpoint;

    DashboardController(Figures figures, ShardHistogram shards, EventLog events, ShardedIdEndpoint endpoint) {
        this.figures = figures;
        this.shards = shards;
        this.events = events;
        this.endpoint = endpoint;
    }

    @GetMapping("/dashboard")
    String page(Model model) {
        model.addAttribute("figures", this.figures.now());
        model.addAttribute("shards", this.shards.now());
        EngineDescriptor engine = engine();
        this.events.observe(engine.workers());
        model.addAttribute("events", this.events.newestFirst());
        model.addAttribute("engine", engine);
        return "dashboard";
    }

    @GetMapping("/api/dashboard/shards")
    @ResponseBody
    ShardsView shards() {
        return this.shards.now();
    }

    /** Who held which worker id when the lease table was read last. */
    @GetMapping("/api/dashboard/workers")
    @ResponseBody
    List<WorkerDescriptor> workers() {
        List<WorkerDescriptor> workers = engine().workers();
        this.events.observe(workers);
        return workers;
    }

    /** Other beans of the sample need the engine, so it is open. */
    private EngineDescriptor engine() {
        return Objects.requireNonNull(this.endpoint.engine());
    }

    @GetMapping("/api/dashboard/events")
    @ResponseBody
    List<EventLog.Event> events() {
        return this.events.newestFirst();
    }

}
