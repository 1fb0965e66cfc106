package io.shardedid.zookeeper;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.shardedid.MessageText;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdConfigurationException.Problem;
import io.shardedid.TimeSource;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.Durability;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.common.PathUtils;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a namespace as nodes: {@code <path>/<namespace>/workers/<worker id>}, and
 * one node {@code clock} beside them.
 *
 * <p>
 * Curator keeps the session and replaces it when it has expired. The requests go to the
 * client of ZooKeeper itself, because Curator sends a write again whose answer was lost:
 * the second one would meet what the first one wrote, and be told as refused.
 */
class ZooKeeperLeaseStore implements LeaseStore {

    private static final System.Logger LOG = System.getLogger(ZooKeeperLeaseStore.class.getName());

    /** How long the answer to one request may take. */
    private static final Duration LIMIT = Duration.ofSeconds(3);

    /** How long the first connection may take. */
    private static final Duration FIRST_LIMIT = Duration.ofSeconds(12);

    private static final byte[] NOTHING = {};

    private final CuratorFramework client;

    private final String path;

    private final List<ACL> rights;

    private final String clock;

    private final String workers;

    /** Whether a start has found or made the nodes, which a mere reader never makes. */
    private boolean ensured;

    ZooKeeperLeaseStore(CuratorFramework client, String path, List<ACL> rights, String namespace) {
        PathUtils.validatePath(path);
        this.client = client;
        this.path = path;
        this.rights = List.copyOf(rights);
        String base = (path.equals("/") ? "" : path) + "/"
                + URLEncoder.encode(namespace, StandardCharsets.UTF_8).replace(".", "%2E");
        this.clock = base + "/clock";
        this.workers = base + "/workers";
    }

    /** Tests have stores that do these three wrong. */
    CreateMode mode() {
        return CreateMode.PERSISTENT;
    }

    int expectedVersion(Stat read) {
        return read.getVersion();
    }

    /**
     * Waits until the server of this session has all that was written before. Another
     * server may lag behind the one that has answered the last write.
     */
    void catchUp(String node) throws Exception {
        this.<String>ask((zooKeeper, answer) -> zooKeeper.sync(node, (rc, at, ctx) -> done(answer, rc, at, at), null));
    }

    @Override
    public Durability durability() {
        return Durability.KEPT;
    }

    @Override
    public String describe() {
        return "zookeeper " + this.client.getZookeeperClient().getCurrentConnectionString() + this.path;
    }

    @Override
    public void ensure() {
        try {
            if (!this.client.blockUntilConnected((int) FIRST_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                throw new TimeoutException("no connection within " + MessageText.duration(FIRST_LIMIT));
            }
            make();
            rows(null);
            this.ensured = true;
        }
        catch (ShardedIdConfigurationException ex) {
            throw ex;
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw unreachable(ex);
        }
        catch (Exception ex) {
            if (ex instanceof KeeperException refused
                    && (refused.code() == Code.NOAUTH || refused.code() == Code.AUTHFAILED)) {
                throw new WorkerLeaseException(
                        ("Could not use the store of the leases: store=%s, node=%s (%s); let the "
                                + "login of this process read, write and create there: 'addauth' and 'setAcl -R' of ZooKeeper's "
                                + "command line, or the login of the client")
                            .formatted(describe(), refused.getPath(), refused.code()),
                        refused);
            }
            throw unreachable(ex);
        }
    }

    private void make() throws Exception {
        createIfMissing(this.clock);
        createIfMissing(this.workers);
    }

    private WorkerLeaseException unreachable(Exception failure) {
        return new WorkerLeaseException(
                ("Could not reach the store of the leases: store=%s (%s); start ZooKeeper, or correct the connection "
                        + "string of the client")
                    .formatted(describe(), failure.getMessage()),
                failure);
    }

    /**
     * ZooKeeper asks for the right to create before it looks whether the node exists, and
     * another login may have made the nodes for a login that may not make any.
     */
    private void createIfMissing(String node) throws Exception {
        boolean exists = this.<Boolean>ask((zooKeeper, answer) -> zooKeeper.exists(node, false,
                (rc, at, ctx, stat) -> done(answer, (rc == Code.NONODE.intValue()) ? 0 : rc, at, rc == 0), null));
        if (!exists) {
            createWithParents(node);
        }
    }

    private void createWithParents(String node) throws Exception {
        try {
            create(node);
        }
        catch (KeeperException.NoNodeException ex) {
            createWithParents(node.substring(0, node.lastIndexOf('/')));
            create(node);
        }
    }

    /** Two processes may create at once. */
    private void create(String node) throws Exception {
        this.<String>ask((zooKeeper, answer) -> zooKeeper.create(node, NOTHING, this.rights, CreateMode.PERSISTENT,
                (rc, at, ctx, name) -> done(answer, (rc == Code.NODEEXISTS.intValue()) ? 0 : rc, at, at), null));
    }

    @Override
    public boolean isTransient(WorkerLeaseException failure) {
        return failure.getCause() instanceof TimeoutException || failure.getCause() instanceof KeeperException ex
                && (ex instanceof KeeperException.ConnectionLossException
                        || ex instanceof KeeperException.SessionExpiredException
                        || ex instanceof KeeperException.OperationTimeoutException);
    }

    @Override
    public LeaseReply execute(LeaseStatement statement) {
        try {
            try {
                return reply(statement);
            }
            catch (KeeperException.NoNodeException ex) {
                if (!this.ensured) {
                    throw ex;
                }
                LOG.log(System.Logger.Level.WARNING,
                        "The nodes of the leases were deleted: store={0}, node={1}. They are made again, and what was "
                                + "leased is forgotten: ids stop until the time that may have been leased is over; find "
                                + "out who deletes nodes",
                        describe(), ex.getPath());
                make();
                // nothing was written: the parent of the node was missing
                return reply(statement);
            }
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return new LeaseReply.Unknown(ex);
        }
        catch (Exception ex) {
            return new LeaseReply.Unknown(ex);
        }
    }

    private LeaseReply reply(LeaseStatement statement) throws Exception {
        if (statement instanceof LeaseStatement.ReadOne read) {
            return rows(List.of(String.valueOf(LeaseRow.LAYOUT), String.valueOf(read.worker())));
        }
        if (statement instanceof LeaseStatement.Insert insert) {
            return insert(insert);
        }
        if (statement instanceof LeaseStatement.Update update) {
            return update(update);
        }
        return rows(null);
    }

    /** The requests for the nodes are under way together. */
    private LeaseReply rows(@Nullable List<String> names) throws Exception {
        catchUp(this.workers);
        List<String> read = (names != null) ? names : this.<List<String>>ask((zooKeeper, answer) -> zooKeeper
            .getChildren(this.workers, false, (rc, at, ctx, children) -> done(answer, rc, at, children), null));
        Map<Integer, CompletableFuture<Optional<Node>>> answers = new TreeMap<>();
        for (String name : read) {
            if (LeaseRow.isName(name)) {
                answers.put(Integer.valueOf(name), send(request(this.workers + "/" + name)));
            }
        }
        List<LeaseRow> rows = new ArrayList<>();
        for (Map.Entry<Integer, CompletableFuture<Optional<Node>>> answer : answers.entrySet()) {
            await(answer.getValue()).ifPresent((node) -> rows.add(row(answer.getKey(), node)));
        }
        return new LeaseReply.Rows(tick(), List.copyOf(rows));
    }

    /** The time of the leader, which it gives to each write. */
    private long tick() throws Exception {
        return this
            .<Stat>ask((zooKeeper, answer) -> zooKeeper.setData(this.clock, NOTHING, -1,
                    (rc, at, ctx, stat) -> done(answer, rc, at, stat), null))
            .getMtime();
    }

    private LeaseReply insert(LeaseStatement.Insert insert) throws Exception {
        if (insert.latestMillis() != null) {
            return noGuards();
        }
        LeaseRow row = insert.row();
        try {
            this.<String>ask((zooKeeper, answer) -> zooKeeper.create(this.workers + "/" + row.worker(),
                    LeaseNode.write(row), this.rights, mode(), (rc, at, ctx, name) -> done(answer, rc, at, at), null));
            return new LeaseReply.Written(1);
        }
        catch (KeeperException.NodeExistsException ex) {
            return new LeaseReply.DuplicateKey();
        }
    }

    private LeaseReply update(LeaseStatement.Update update) throws Exception {
        if (update.guard() != null) {
            return noGuards();
        }
        String path = this.workers + "/" + update.worker();
        catchUp(path);
        Node node = await(send(request(path))).orElse(null);
        LeaseRow row = (node != null) ? row(update.worker(), node) : null;
        if (node == null || row == null || !row.token().equals(update.seenToken())
                || row.hwmTick() > update.hwmAtMost()) {
            return new LeaseReply.Written(0);
        }
        byte[] data = LeaseNode
            .write(new LeaseRow(update.worker(), update.token(), row.acquisitions() + update.acquisitionStep(),
                    update.leaseUntilMillis(), update.hwmTick(), update.owner(), update.layout()));
        try {
            this.<Stat>ask((zooKeeper, answer) -> zooKeeper.setData(path, data, expectedVersion(node.stat()),
                    (rc, at, ctx, stat) -> done(answer, rc, at, stat), null));
            return new LeaseReply.Written(1);
        }
        catch (KeeperException.BadVersionException | KeeperException.NoNodeException ex) {
            return new LeaseReply.Written(0);
        }
    }

    private static LeaseReply noGuards() {
        return new LeaseReply.Unknown(new UnsupportedOperationException(
                "ZooKeeper compares no clock within a write: 'tolerate-lost-commits' is not supported"));
    }

    private static Request<Optional<Node>> request(String path) {
        return (zooKeeper, answer) -> zooKeeper.getData(path, false,
                (rc, at, ctx, data, stat) -> done(answer, (rc == Code.NONODE.intValue()) ? 0 : rc, at,
                        (rc == 0) ? Optional.of(new Node(at, data, stat)) : Optional.empty()),
                null);
    }

    private LeaseRow row(int worker, Node node) {
        try {
            return LeaseNode.read(worker, node.data());
        }
        catch (IllegalArgumentException ex) {
            throw new ShardedIdConfigurationException(new Problem(
                    "Could not read the leases: node=%s (it is no lease: %s)".formatted(node.path(), ex.getMessage()),
                    "remove the node, or correct the path"), ex);
        }
    }

    private <T> T ask(Request<T> request) throws Exception {
        return await(send(request));
    }

    private <T> CompletableFuture<T> send(Request<T> request) throws Exception {
        CompletableFuture<T> answer = new CompletableFuture<>();
        request.send(this.client.getZookeeperClient().getZooKeeper(), answer);
        return answer;
    }

    /**
     * An interrupt does not end the wait, which is bounded anyway. The flag stays set.
     */
    private static <T> T await(CompletableFuture<T> answer) throws Exception {
        long end = TimeSource.system().nanoTime() + LIMIT.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return answer.get(Math.max(0, end - TimeSource.system().nanoTime()), TimeUnit.NANOSECONDS);
                }
                catch (InterruptedException ex) {
                    interrupted = true;
                }
            }
        }
        catch (ExecutionException ex) {
            throw (ex.getCause() instanceof Exception cause) ? cause : ex;
        }
        catch (TimeoutException ex) {
            throw new TimeoutException("no answer within " + MessageText.duration(LIMIT));
        }
        finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static <T> void done(CompletableFuture<T> answer, int code, String path, T value) {
        if (code == 0) {
            answer.complete(value);
        }
        else {
            answer.completeExceptionally(KeeperException.create(Code.get(code), path));
        }
    }

    /** Does nothing, because the session goes on: a new one would take time. */
    @Override
    public void disconnect() {
    }

    /** Leaves the client to the application. */
    @Override
    public void close() {
    }

    /** A request whose answer completes the future. */
    @FunctionalInterface
    private interface Request<T> {

        void send(ZooKeeper zooKeeper, CompletableFuture<T> answer);

    }

    private record Node(String path, byte @Nullable [] data, Stat stat) {
    }

}
