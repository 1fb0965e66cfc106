package io.shardedid.spring.checkpoint;

import java.util.ArrayList;
import java.util.List;

/**
 * Resources in the order in which they were registered.
 *
 * @param <R> what can be registered
 */
public final class Context<R extends Resource> {

    private final List<R> resources = new ArrayList<>();

    public void register(R resource) {
        this.resources.add(resource);
    }

    void checkpoint(Runnable inBetween) throws Exception {
        for (int i = this.resources.size() - 1; i >= 0; i--) {
            this.resources.get(i).beforeCheckpoint(this);
        }
        inBetween.run();
        for (R resource : this.resources) {
            resource.afterRestore(this);
        }
    }

}
