package io.shardedid.worker.table;

/**
 * The statements to one lease table in the words of its database. No text of a user but
 * the checked, quoted name of the table is part of them.
 *
 * @param dialect the database
 * @param table the quoted table
 */
record LeaseSql(LeaseDialect dialect, String table) {

    /** One row even without leases: it carries the clock. */
    String readAll() {
        return "SELECT %s, w.worker_id, w.token, w.fence, w.lease_until, w.hwm_tick, w.owner, w.layout "
            .formatted(this.dialect.nowMillis())
                + "FROM (SELECT 1 AS one) c LEFT JOIN %s w ON w.namespace = ?".formatted(this.table);
    }

    String readOne() {
        return readAll() + " AND w.worker_id = ?";
    }

    String insert() {
        return ("INSERT INTO %s (namespace, worker_id, token, fence, lease_until, hwm_tick, owner, layout) "
                + "SELECT ?, ?, ?, ?, ?, ?, ?, ? FROM (SELECT 1 AS one) c WHERE %s <= ? AND %s")
            .formatted(this.table, this.dialect.nowMillis(), this.dialect.writeCondition());
    }

    String update() {
        return ("UPDATE %s SET token = ?, fence = fence + ?, lease_until = ?, hwm_tick = ?, owner = ?, layout = ? "
                + "WHERE namespace = ? AND worker_id = ? AND token = ? AND hwm_tick <= ? AND %s")
            .formatted(this.table, this.dialect.writeCondition());
    }

    String guarded(boolean whileLeased) {
        return update() + " AND %s <= ?".formatted(this.dialect.nowMillis())
                + (whileLeased ? " AND lease_until >= %s".formatted(this.dialect.nowMillis()) : "");
    }

}
