package io.shardedid.database;

import java.time.Duration;
import java.util.List;

import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateJvm;
import io.shardedid.ShardFunction;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;

/**
 * A process whose JVM writes numbers in the digits of its language. Argument: the JDBC
 * URL. Prints {@code ID} and an id that is made under a lease of that database, how the
 * JVM writes 1, and then the script of the database's own ids.
 */
final class ProcessOfAnotherLanguage {

    static final int SHARDS = 1500;

    private ProcessOfAnotherLanguage() {
    }

    static List<String> command(String url) {
        List<String> command = SeparateJvm.command(ProcessOfAnotherLanguage.class, ShardedIds.class, DatabaseIds.class,
                org.postgresql.Driver.class);
        command.addAll(1,
                List.of("-Duser.language=ar", "-Duser.country=EG", "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8"));
        command.add(url);
        return command;
    }

    public static void main(String[] args) {
        SeparateJvm.endWithParent();
        try (ShardedIdEngine ids = ShardedIds.builder()
            .shards(SHARDS)
            .workers(JdbcLeases.leased(LeaseSettings.builder().build(), LeaseConnections.url(args[0], "postgres", ""),
                    "shardedid_worker", SchemaInitialization.ALWAYS, List.of()))
            .open()) {
            System.out.println("ID " + ids.nextFor(1234L));
            System.out.println("%d".formatted(1).equals("1") ? "ASCII" : "ITS OWN");
            System.out.println(new DatabaseIds(IdLayout.standard(), SHARDS, ShardFunction.modulo(),
                    Duration.ofSeconds(1), Duration.ofMillis(500))
                .script(""));
        }
    }

}
