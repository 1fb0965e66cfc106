package io.shardedid.spring.web;

import io.shardedid.PublicId;
import io.shardedid.PublicIdForm;
import io.shardedid.ShardedId;

import org.springframework.data.annotation.Id;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Entities with ids of several forms, and a controller that returns them. */
final class WrittenIds {

    private WrittenIds() {
    }

    public static class Above {

        @Id
        @ShardedId
        private Long id = 501219442118860803L;

        public Long getId() {
            return this.id;
        }

        public void setId(Long id) {
            this.id = id;
        }

    }

    @PublicId(form = PublicIdForm.SEALED)
    public static class Sealed extends Above {

    }

    @PublicId(prefix = "pre_")
    public static class Prefixed extends Above {

    }

    public static class Plain extends Above {

    }

    @RestController
    static class Photos {

        @GetMapping("/sealed")
        Sealed sealed() {
            return new Sealed();
        }

        @GetMapping("/prefixed")
        Prefixed prefixed() {
            return new Prefixed();
        }

        @GetMapping("/plain")
        Plain plain() {
            return new Plain();
        }

    }

}
