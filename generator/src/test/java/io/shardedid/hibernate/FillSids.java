package io.shardedid.hibernate;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import io.shardedid.ShardedIds;

/**
 * The program that {@code docs/adopting.md#tables-with-uuids} shows for rows that have
 * UUIDs.
 */
final class FillSids {

    private FillSids() {
    }

    static void fill(Connection connection, ShardedIds ids) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement photos = connection.createStatement();
                ResultSet row = photos
                    .executeQuery("select id, user_id from photo where sid is null order by created_at");
                PreparedStatement update = connection.prepareStatement("update photo set sid = ? where id = ?")) {
            for (int rows = 1; row.next(); rows++) {
                update.setLong(1, ids.nextFor(row.getLong("user_id")));
                update.setObject(2, row.getObject("id"));
                update.addBatch();
                if (rows % 1_000 == 0) {
                    update.executeBatch();
                    connection.commit();
                }
            }
            update.executeBatch();
            connection.commit();
        }
        try (Statement remarks = connection.createStatement();
                ResultSet row = remarks
                    .executeQuery("select r.id, p.sid from remark r join photo p on p.id = r.photo_id "
                            + "where r.sid is null order by r.created_at");
                PreparedStatement update = connection
                    .prepareStatement("update remark set sid = ?, photo_sid = ? where id = ?")) {
            for (int rows = 1; row.next(); rows++) {
                update.setLong(1, ids.next(ids.shardOf(row.getLong("sid"))));
                update.setLong(2, row.getLong("sid"));
                update.setObject(3, row.getObject("id"));
                update.addBatch();
                if (rows % 1_000 == 0) {
                    update.executeBatch();
                    connection.commit();
                }
            }
            update.executeBatch();
            connection.commit();
        }
    }

}
