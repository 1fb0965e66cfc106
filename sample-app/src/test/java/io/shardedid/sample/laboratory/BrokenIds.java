package io.shardedid.sample.laboratory;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;

import org.h2.tools.TriggerAdapter;

/**
 * A trigger that gives a row another id than it came with, and every hundredth id twice:
 * what an id source does that is broken.
 */
public final class BrokenIds extends TriggerAdapter {

    private final AtomicLong rows = new AtomicLong();

    @Override
    public void fire(Connection connection, ResultSet before, ResultSet after) throws SQLException {
        long row = this.rows.incrementAndGet();
        after.updateLong("id", (row % 100 == 0) ? row - 1 : row);
    }

}
