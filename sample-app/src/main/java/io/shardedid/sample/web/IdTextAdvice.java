package io.shardedid.sample.web;

import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.InitBinder;

/**
 * Has every controller read ids strictly.
 */
@ControllerAdvice
class IdTextAdvice {

    @InitBinder
    void readIds(WebDataBinder binder) {
        binder.registerCustomEditor(long.class, new IdText());
        binder.registerCustomEditor(Long.class, new IdText());
    }

}
