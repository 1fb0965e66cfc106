package io.shardedid.plain;

import javax.sql.DataSource;

import io.shardedid.ShardedIds;
import io.shardedid.LeaseSettings;
import io.shardedid.JdbcWorkerLeases;

class Orders {

    static long firstId(DataSource dataSource, Long customerId) {
        try (ShardedIds ids = ShardedIds.builder()
            .workers(JdbcWorkerLeases.leased(dataSource, LeaseSettings.builder().build()))
            .open()) {
            return ids.nextFor(customerId);
        }
    }

}
