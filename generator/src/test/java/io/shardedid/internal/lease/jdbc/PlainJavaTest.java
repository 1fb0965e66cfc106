package io.shardedid.internal.lease.jdbc;

import java.util.Locale;

import javax.sql.DataSource;

import io.shardedid.JdbcWorkerLeases;
import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIds;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The lines by which plain Java opens an engine. */
class PlainJavaTest {

    /** Also where I is not the capital of i, as in the name of the table. */
    @ParameterizedTest
    @ValueSource(strings = { "en-US", "tr-TR" })
    void opensAnEngineWithADataSourceAlone(Locale language) {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:plain-" + language + ";DB_CLOSE_DELAY=-1");
        Locale before = Locale.getDefault();
        Locale.setDefault(language);
        try {
            assertThat(made(dataSource)).isLessThan(made(dataSource));
        }
        finally {
            Locale.setDefault(before);
        }
    }

    private static long made(DataSource dataSource) {
        try (ShardedIds ids = ShardedIds.builder()
            .workers(JdbcWorkerLeases.leased(dataSource, LeaseSettings.builder().build()))
            .open()) {
            return ids.next(7);
        }
    }

}
