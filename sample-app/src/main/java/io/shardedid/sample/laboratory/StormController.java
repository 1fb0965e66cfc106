package io.shardedid.sample.laboratory;

import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;

/**
 * The page that starts a storm and shows how it goes.
 */
@Controller
class StormController {

    private final Storm storm;

    private final JdbcConnectionDetails database;

    StormController(Storm storm, JdbcConnectionDetails database) {
        this.storm = storm;
        this.database = database;
    }

    @GetMapping("/storm")
    String page(Model model) {
        model.addAttribute("storm", this.storm.view());
        model.addAttribute("inProcess", this.database.getJdbcUrl().startsWith("jdbc:h2:"));
        return "storm";
    }

    @PostMapping("/storm")
    String start(@RequestParam int rows, @RequestParam int threads) {
        this.storm.start(new StormTerms(rows, threads));
        return "redirect:/storm";
    }

    @PostMapping("/storm/cancel")
    String cancel() {
        this.storm.cancel();
        return "redirect:/storm";
    }

    @GetMapping("/api/storm")
    @ResponseBody
    StormView view() {
        return this.storm.view();
    }

}
