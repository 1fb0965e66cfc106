package duel;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.function.LongUnaryOperator;

import io.hypersistence.tsid.TSID;
import io.shardedid.JdbcWorkerLeases;
import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIds;
import io.shardedid.TimeSource;
import io.shardedid.WorkerIdRange;
import org.h2.jdbcx.JdbcDataSource;

/**
 * A process that inserts rows, 100 in a transaction, until it is killed. A byte of its
 * input sets its wall clock back by so many hours.
 */
final class Pod extends TimeSource {

    private volatile long behindNanos;

    /** Arguments: URL, table, and for ShardedId worker ids and seconds of a lease. */
    public static void main(String[] arguments) throws Exception {
        ProcessHandle.current().parent().orElseThrow().onExit().thenRun(() -> Runtime.getRuntime().halt(1));
        JdbcDataSource database = new JdbcDataSource();
        database.setUrl(arguments[0]);
        Pod pod = new Pod();
        if (arguments.length == 2) {
            pod.insert(database, arguments[1], (user) -> TSID.Factory.INSTANCE.generate().toLong());
        }
        LeaseSettings lease = LeaseSettings.builder()
            .workerIds(WorkerIdRange.parse(arguments[2]))
            .window(Duration.ofSeconds(Integer.parseInt(arguments[3])))
            .build();
        var ids = ShardedIds.builder().timeSource(pod).workers(JdbcWorkerLeases.leased(database, lease)).open();
        System.out.println(ids.stats().worker());
        pod.insert(database, arguments[1], ids::nextFor);
    }

    private void insert(JdbcDataSource database, String table, LongUnaryOperator idOfUser) throws Exception {
        Connection connection = database.getConnection();
        connection.setAutoCommit(false);
        PreparedStatement row = connection.prepareStatement("INSERT INTO " + table + " VALUES (?)");
        while (true) {
            try {
                for (int i = 0; i < 100; i++) {
                    row.setLong(1, idOfUser.applyAsLong(i));
                    row.addBatch();
                }
                row.executeBatch();
                connection.commit();
            }
            catch (ShardedIdException ex) {
                Thread.sleep(50); // no lease: the ids that it has stay in the batch
            }
            if (System.in.available() > 0) {
                this.behindNanos += Duration.ofHours(System.in.read()).toNanos();
            }
        }
    }

    @Override
    public long nanoTime() {
        return system().nanoTime();
    }

    @Override
    public long epochNanos() {
        return system().epochNanos() - this.behindNanos;
    }

    @Override
    public void park(long nanos) {
        system().park(nanos);
    }

}
