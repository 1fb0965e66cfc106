package io.shardedid.sample.postgres;

import java.io.IOException;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * Ends a second instance when its standard input does: then the first is gone, however it
 * went.
 */
@Component
@Profile("second")
class EndsWithTheFirst implements SmartInitializingSingleton {

    @Override
    public void afterSingletonsInstantiated() {
        Thread watch = new Thread(EndsWithTheFirst::await, "first-instance");
        watch.setDaemon(true);
        watch.start();
    }

    private static void await() {
        try {
            while (System.in.read() >= 0) {
                // Nobody writes; the end alone matters.
            }
        }
        catch (IOException ex) {
            // The first is gone as well.
        }
        System.exit(0);
    }

}
