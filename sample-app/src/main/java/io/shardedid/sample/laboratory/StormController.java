package io.shardedid.sample.laboratory;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
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

    private final @Nullable JdbcConnectionDetails database;

    StormController(Storm storm, ObjectProvider<JdbcConnectionDetails> database) {
        this.storm = storm;
        this.database = database.getIfAvailable();
    }

    @GetMapping("/storm")
    String page(Model model) {
        model.addAttribute("storm", this.storm.view());
        JdbcConnectionDetails one = this.database;
        model.addAttribute("several", one == null);
        model.addAttribute("inProcess", one != null && one.getJdbcUrl().startsWith("jdbc:h2:"));
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
