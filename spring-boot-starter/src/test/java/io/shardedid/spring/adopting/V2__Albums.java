package io.shardedid.spring.adopting;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;

import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.LeaseSettings;
import io.shardedid.JdbcWorkerLeases;
import org.flywaydb.core.api.migration.BaseJavaMigration;
import org.flywaydb.core.api.migration.Context;

/**
 * The migration that {@code docs/mapping.md#making-and-reading-ids-in-your-code} shows.
 */
public class V2__Albums extends BaseJavaMigration {

    @Override
    public void migrate(Context context) throws Exception {
        try (ShardedIdEngine ids = ShardedIds.builder()
            .workers(JdbcWorkerLeases.leased(context.getConfiguration().getDataSource(),
                    LeaseSettings.builder().build()))
            .open();
                Statement users = context.getConnection().createStatement();
                ResultSet user = users.executeQuery("select id from users");
                PreparedStatement insert = context.getConnection()
                    .prepareStatement("insert into album (id, user_id) values (?, ?)")) {
            while (user.next()) {
                insert.setLong(1, ids.nextFor(user.getLong("id")));
                insert.setLong(2, user.getLong("id"));
                insert.executeUpdate();
            }
        }
    }

}
