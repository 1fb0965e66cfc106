package io.shardedid.internal.lease.jdbc;

import java.util.Optional;
import java.util.OptionalInt;

import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.internal.lease.LeaseRegion;
import io.shardedid.internal.lease.LeaseRow;

/**
 * The lease table in the database of an application whose worker ids come from somewhere
 * else.
 *
 * @param application connections of the application
 * @param table the name of the table
 * @param namespace the namespace of the ids
 * @since 0.1
 */
public record TableBeside(LeaseConnections application, String table, String namespace) {

    private static final System.Logger LOG = System.getLogger(TableBeside.class.getName());

    /**
     * Fails if the table gives out worker ids that come from somewhere else, too. Where
     * the database does not answer, the log says that nobody has looked.
     * @param worker the only one that comes from somewhere else, or empty if all may
     * @throws ShardedIdConfigurationException if processes of the table may have one of
     * these worker ids
     */
    public void refuse(OptionalInt worker) {
        Optional<LeaseRegion> region;
        try {
            region = layoutRow().flatMap((row) -> LeaseRegion.of(this.table, row));
        }
        catch (ShardedIdConfigurationException ex) {
            throw ex;
        }
        catch (Exception ex) {
            LOG.log(System.Logger.Level.WARNING,
                    "Could not look whether the database of the application has a lease table that gives out the same "
                            + "worker ids: table={0}, connection={1} ({2}); make sure that no process leases from it",
                    this.table, this.application.describe(), LeaseTableSetup.oneLine(ex));
            return;
        }
        if (region.isEmpty() || worker.isPresent() && !region.get().workers().contains(worker.getAsInt())) {
            return;
        }
        throw worker.isPresent() ? new ShardedIdConfigurationException(
                "worker is given out by a lease table, too: shardedid.worker.id=%s, table=%s, namespace=%s, worker-ids=%s"
                    .formatted(worker.getAsInt(), this.table, this.namespace, region.get().workers()),
                "take another one, or narrow the table: stop all processes, then run 'inspector change' with "
                        + "fewer 'shardedid.worker.lease.worker-ids'",
                "shardedid.worker.id", "shardedid.worker.mode")
                : new ShardedIdConfigurationException(
                        "The worker ids of a store are given out by a lease table, too: table=%s, namespace=%s, worker-ids=%s"
                            .formatted(this.table, this.namespace, region.get().workers()),
                        "move the leases from the table to the store by 'LeaseChange', which closes the table");
    }

    private Optional<LeaseRow> layoutRow() throws Exception {
        LeaseTableName name = LeaseTableName.of(this.table);
        LeaseTableSetup setup = new LeaseTableSetup(LeaseTableSetup.LEASES, name, SchemaInitialization.NEVER);
        try (SqlLeaseTable leases = new SqlLeaseTable(this.application, name, this.namespace,
                SchemaInitialization.NEVER, LeaseTimeouts.DEFAULT)) {
            return leases.beside(2,
                    (open) -> setup.exists(open) ? open.read(LeaseRow.LAYOUT) : Optional.<LeaseRow>empty());
        }
    }

}
