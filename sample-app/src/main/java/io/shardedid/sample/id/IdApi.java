package io.shardedid.sample.id;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/**
 * Ids as JSON.
 */
@RestController
class IdApi {

    private final IdReading reading;

    IdApi(IdReading reading) {
        this.reading = reading;
    }

    @GetMapping("/api/ids/{id}")
    IdView id(@PathVariable long id) {
        return this.reading.read(id);
    }

}
