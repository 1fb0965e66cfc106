package io.shardedid.internal.lease.jdbc;

import javax.sql.DataSource;

import io.shardedid.JdbcWorkerLeases;
import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIds;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The lines by which plain Java opens an engine. */
class PlainJavaTest {

    @Test
    void opensAnEngineWithADataSourceAlone() {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:plain;DB_CLOSE_DELAY=-1");

        assertThat(made(dataSource)).isLessThan(made(dataSource));
    }

    private static long made(DataSource dataSource) {
        try (ShardedIds ids = ShardedIds.builder()
            .workers(JdbcWorkerLeases.leased(dataSource, LeaseSettings.builder().build()))
            .open()) {
            return ids.next(7);
        }
    }

}
