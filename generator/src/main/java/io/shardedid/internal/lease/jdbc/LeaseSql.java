package io.shardedid.internal.lease.jdbc;

/**
 * The statements to one lease table in the words of its database. No text of a user but
 * the checked, quoted name of the table is part of them.
 *
 * @param dialect the database
 * @param table the quoted table
 */
record LeaseSql(LeaseDialect dialect, String table) {

    private static final String COLUMNS = "namespace, worker_id, token, fence, lease_until, hwm_tick, owner, layout";

    /** One row even without leases: it carries the clock. */
    String readAll() {
        return read() + this.dialect.allRows();
    }

    private String read() {
        String oneRow = this.dialect.comparesItsClock() ? this.dialect.oneRow()
                : "(SELECT COUNT(*) AS leases FROM %s) c".formatted(this.table);
        return "SELECT %s, w.worker_id, w.token, w.fence, w.lease_until, w.hwm_tick, w.owner, w.layout ".formatted(
                this.dialect.nowMillis()) + "FROM %s LEFT JOIN %s w ON w.namespace = ?".formatted(oneRow, this.table);
    }

    String readOne() {
        return read() + " AND w.worker_id IN (?, -1)" + this.dialect.allRows();
    }

    String insert() {
        if (!this.dialect.comparesItsClock()) {
            return "INSERT INTO %s (%s) VALUES (?, ?, ?, ?, ?, ?, ?, ?)".formatted(this.table, COLUMNS);
        }
        return "INSERT INTO %s (%s) SELECT ?, ?, ?, ?, ?, ?, ?, ? FROM %s WHERE %s <= ? AND %s%s".formatted(this.table,
                COLUMNS, this.dialect.oneRow(), this.dialect.nowMillis(), this.dialect.writeCondition(),
                this.dialect.unlessThere());
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
