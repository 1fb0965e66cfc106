package io.shardedid.sample.laboratory;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.shardedid.sample.postgres.LocalPostgres;
import io.shardedid.sample.problem.Problems;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * Stops the database for a while. It always goes on by itself, also when the application
 * closes.
 */
@Component
@Profile("chaos")
class Outage implements DisposableBean {

    private final DatabaseStop database;

    private final Duration length;

    private final EventLog events;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor((task) -> {
        Thread thread = new Thread(task, "outage");
        thread.setDaemon(true);
        return thread;
    });

    private volatile boolean stopped;

    Outage(ObjectProvider<LocalPostgres> postgres, JdbcConnectionDetails details, EventLog events,
            @Value("${sample.chaos.outage:20s}") Duration length) {
        LocalPostgres server = postgres.getIfAvailable();
        this.database = (server != null) ? new PostgresStop(server.server()) : new H2Stop(details);
        this.length = length;
        this.events = events;
    }

    synchronized void begin() {
        if (this.stopped) {
            throw Problems.busy("The database is stopped already; it goes on by itself.");
        }
        this.database.stop();
        this.stopped = true;
        this.events.add("A visitor stopped the database for %s seconds.".formatted(this.length.toSeconds()));
        this.timer.schedule(this::end, this.length.toMillis(), TimeUnit.MILLISECONDS);
    }

    private synchronized void end() {
        this.database.resume();
        if (this.stopped) {
            this.stopped = false;
            this.events.add("The database goes on.");
        }
    }

    Duration length() {
        return this.length;
    }

    boolean stopped() {
        return this.stopped;
    }

    @Override
    public void destroy() {
        this.timer.shutdownNow();
        end();
    }

}
