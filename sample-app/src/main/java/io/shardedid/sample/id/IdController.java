package io.shardedid.sample.id;

import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/**
 * The page that draws any id.
 */
@Controller
class IdController {

    private final IdReading reading;

    IdController(IdReading reading) {
        this.reading = reading;
    }

    @GetMapping("/ids")
    String form(@RequestParam(required = false) @Nullable Long id, Model model) {
        if (id != null) {
            return "redirect:/ids/" + id;
        }
        model.addAttribute("layout", this.reading.layout());
        return "id-form";
    }

    /** Any number, also one that can be no id. */
    @GetMapping("/ids/{id}")
    String id(@PathVariable long id, Model model) {
        model.addAttribute("view", this.reading.read(id));
        return "id";
    }

}
