package io.shardedid.spring.checkpoint;

import java.util.UUID;

import javax.sql.DataSource;

import io.shardedid.ShardedIdEngine;
import io.shardedid.WorkerLeaseException;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Starts, says what is held at the checkpoint, and makes an id afterwards. Arguments:
 * properties of the application; {@code later} as the first one makes a checkpoint of the
 * application that runs.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, ShardedIdAutoConfiguration.class })
class CheckpointedApplication {

    private static final String URL = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

    public static void main(String[] arguments) throws Exception {
        Core.atCheckpoint = () -> {
            ShardedIdEngine ids = ShardedIdEngine.openInThisJvm().get(0);
            System.out.println("CHECKPOINT id=" + made(ids) + " worker=" + ids.stats().worker());
        };
        SpringApplicationBuilder application = new SpringApplicationBuilder(CheckpointedApplication.class)
            .web(WebApplicationType.NONE)
            .properties("spring.datasource.url=" + URL, "shardedid.clock.max-wait=2s");
        try (ConfigurableApplicationContext context = application.run(arguments)) {
            if (arguments[0].equals("later")) {
                System.out.println("STARTED worker=" + context.getBean(ShardedIdEngine.class).stats().worker());
                Core.checkpointRestore();
            }
            ShardedIdEngine ids = context.getBean(ShardedIdEngine.class);
            System.out.println("RESTORED " + ids.uuids().next(1));
            if (!ids.onlyUuids()) {
                System.out.println("ACQUIRED " + new JdbcTemplate(context.getBean(DataSource.class))
                    .queryForObject("select fence from shardedid_worker where worker_id = 0", Long.class));
            }
        }
    }

    private static boolean made(ShardedIdEngine ids) {
        try {
            ids.uuids().next(1);
            return true;
        }
        catch (WorkerLeaseException ex) {
            return false;
        }
    }

}
