package io.shardedid.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.MessageText;
import io.shardedid.internal.lease.Durability;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a namespace as the fields of one hash. One Lua script reads, takes the time
 * of the server, compares and sets.
 *
 * <p>
 * The connection does not reconnect by itself, because Lettuce would send again what was
 * under way: a write that is sent twice meets what the first one wrote, and is told as
 * refused. A connection that failed is replaced for the next statement.
 */
class RedisLeaseStore implements LeaseStore {

    private static final Duration LIMIT = Duration.ofSeconds(3);

    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);

    private static final String SCRIPT = script();

    private final RedisURI uri;

    private final String key;

    private @Nullable RedisClient client;

    private @Nullable StatefulRedisConnection<String, String> connection;

    RedisLeaseStore(RedisURI uri, String key) {
        this.uri = bounded(uri);
        this.key = key;
    }

    /**
     * A copy, since the login of a connection takes as long as its URI allows. Lettuce
     * sets the time of the sentinels that it is given, too.
     */
    private static RedisURI bounded(RedisURI uri) {
        RedisURI.Builder copy = RedisURI.builder(uri).withTimeout(LIMIT);
        if (!uri.getSentinels().isEmpty()) {
            copy.withSentinelMasterId(uri.getSentinelMasterId());
            uri.getSentinels().forEach((sentinel) -> copy.withSentinel(RedisURI.builder(sentinel).build()));
        }
        return copy.build();
    }

    private static String script() {
        try (InputStream script = RedisLeaseStore.class.getResourceAsStream("lease.lua")) {
            if (script == null) {
                throw new IllegalStateException("Could not read 'lease.lua' (it belongs into the module's jar)");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** A test has a store that says otherwise. */
    @Override
    public Durability durability() {
        return Durability.MAY_BE_LOST;
    }

    @Override
    public String describe() {
        String servers = this.uri.getSentinels().isEmpty() ? this.uri.getHost() + ":" + this.uri.getPort()
                : this.uri.getSentinels()
                    .stream()
                    .map((sentinel) -> sentinel.getHost() + ":" + sentinel.getPort())
                    .collect(Collectors.joining(",", "sentinels ", " master " + this.uri.getSentinelMasterId()));
        return "redis %s key '%s'".formatted(servers, this.key);
    }

    @Override
    public void ensure() {
        try {
            Map<String, String> info = info();
            check(info);
            Long expiry = open().sync().pttl(this.key);
            if (expiry >= 0) {
                throw refused(
                        "expiry of the key=" + MessageText.duration(Duration.ofMillis(expiry))
                                + " (the rows would be forgotten)",
                        "execute 'PERSIST %s', and find out who has set the expiry".formatted(this.key));
            }
            rows(evaluate(ScriptOutputType.MULTI, "read"));
            evaluate(ScriptOutputType.INTEGER, "probe");
        }
        catch (RedisException ex) {
            drop();
            if (Refusal.of(said(ex)) == Refusal.OTHER_TYPE) {
                throw refused("type of the key=no hash (it holds no leases)",
                        "remove the key by 'DEL', or take another prefix of the key");
            }
            throw failed(ex);
        }
        catch (RuntimeException ex) {
            drop();
            throw ex;
        }
    }

    /** Managed servers forbid CONFIG, but not INFO. */
    private Map<String, String> info() {
        Map<String, String> info = new HashMap<>();
        for (String line : open().sync().info().split("\r?\n")) {
            int at = line.indexOf(':');
            if (at > 0) {
                info.put(line.substring(0, at), line.substring(at + 1));
            }
        }
        return info;
    }

    private void check(Map<String, String> info) {
        if ("1".equals(info.get("cluster_enabled"))) {
            throw refused("cluster_enabled=1 (Redis Cluster is not supported)",
                    "take a single server, a server with replicas, or Sentinel");
        }
        String role = info.getOrDefault("role", "unknown");
        if (!role.equals("master")) {
            throw new WorkerLeaseException(
                    ("Could not use the store of the leases: store=%s, role=%s (a replica cannot "
                            + "be written); connect to the master, or to the sentinels")
                        .formatted(describe(), role),
                    new RedisConnectionException("role: " + role));
        }
        String policy = info.getOrDefault("maxmemory_policy", "unknown");
        if (!policy.equals("noeviction") && !policy.startsWith("volatile-")) {
            throw refused("maxmemory_policy=%s (the server forgets leases when its memory is full)".formatted(policy),
                    "set 'maxmemory-policy noeviction', or take another server");
        }
        if (!"1".equals(info.get("aof_enabled")) && "0".equals(info.getOrDefault("connected_slaves", "0"))) {
            throw refused("aof_enabled=%s, connected_slaves=0 (the server keeps nothing when it restarts)"
                .formatted(info.get("aof_enabled")), "set 'appendonly yes', or add a replica");
        }
        if (!this.uri.getSentinels().isEmpty() && !info.containsKey("min_slaves_good_slaves")) {
            throw refused(
                    "min-replicas-to-write=0 (a master that was cut off would go on taking leases beside the promoted "
                            + "server, and make duplicate ids)",
                    "set 'min-replicas-to-write' to half of the number of replicas, at least 1, and "
                            + "'min-replicas-max-lag' to less than 'down-after-milliseconds', on each server");
        }
    }

    private ShardedIdConfigurationException refused(String why, String remedy) {
        return new ShardedIdConfigurationException(
                "Could not use the store of the leases: store=%s, %s".formatted(describe(), why), remedy);
    }

    private WorkerLeaseException failed(RedisException ex) {
        String said = said(ex);
        return new WorkerLeaseException("Could not reach the store of the leases: store=%s (%s); %s"
            .formatted(describe(), said.lines().findFirst().orElse(""), remedy(Refusal.of(said))), ex);
    }

    private String remedy(Refusal refusal) {
        return switch (refusal) {
            case TOO_FEW_REPLICAS -> "start the replicas of the server";
            case LOGIN -> "correct the user and the password of the connection";
            case RIGHT ->
                "let the user of the connection do 'ACL SETUSER <user> ~%s +info +pttl +eval +time +hget +hgetall +hset +hsetnx +hdel'"
                    .formatted(this.key);
            case OTHER_TYPE, NONE -> "start Redis, or correct the address of the server";
        };
    }

    /** What the server has said, or else the network. */
    private static String said(RedisException failure) {
        Throwable cause = failure;
        while (cause.getCause() != null && !(cause instanceof RedisCommandExecutionException)) {
            cause = cause.getCause();
        }
        return String.valueOf(cause.getMessage());
    }

    @Override
    public boolean isTransient(WorkerLeaseException failure) {
        Throwable cause = failure.getCause();
        if (cause == null) {
            return false;
        }
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof RedisCommandExecutionException && !(each instanceof RedisLoadingException)) {
                return Refusal.of(String.valueOf(each.getMessage())) == Refusal.TOO_FEW_REPLICAS;
            }
        }
        return cause instanceof RedisConnectionException || cause instanceof RedisCommandTimeoutException
                || cause instanceof RedisLoadingException;
    }

    @Override
    public LeaseReply execute(LeaseStatement statement) {
        try {
            if (statement instanceof LeaseStatement.ReadOne read) {
                return rows(evaluate(ScriptOutputType.MULTI, "read one", String.valueOf(read.worker())));
            }
            if (statement instanceof LeaseStatement.Insert insert) {
                LeaseRow row = insert.row();
                long done = evaluate(ScriptOutputType.INTEGER, "insert", String.valueOf(row.worker()),
                        (insert.latestMillis() != null) ? String.valueOf(insert.latestMillis()) : "",
                        String.join("\n", row.token(), String.valueOf(row.acquisitions()),
                                String.valueOf(row.leaseUntilMillis()), String.valueOf(row.hwmTick()),
                                rest(row.owner(), row.layout())));
                return (done < 0) ? new LeaseReply.DuplicateKey() : new LeaseReply.Written((int) done);
            }
            if (statement instanceof LeaseStatement.Update update) {
                LeaseStatement.Guard guard = update.guard();
                long done = evaluate(ScriptOutputType.INTEGER, "update", String.valueOf(update.worker()),
                        update.seenToken(), String.valueOf(update.hwmAtMost()),
                        (guard != null) ? String.valueOf(guard.latestMillis()) : "",
                        (guard != null && guard.whileLeased()) ? "leased" : "",
                        String.valueOf(update.acquisitionStep()), update.token(),
                        String.valueOf(update.leaseUntilMillis()), String.valueOf(update.hwmTick()),
                        rest(update.owner(), update.layout()));
                return new LeaseReply.Written((int) done);
            }
            return rows(evaluate(ScriptOutputType.MULTI, "read"));
        }
        catch (RuntimeException ex) {
            drop();
            return new LeaseReply.Unknown(ex);
        }
    }

    private <T> T evaluate(ScriptOutputType type, String... values) {
        return open().sync().eval(script(SCRIPT), type, new String[] { this.key }, values);
    }

    /** A test has a script that lets the key expire. */
    String script(String sound) {
        return sound;
    }

    private LeaseReply.Rows rows(List<Object> reply) {
        List<?> fields = (List<?>) reply.get(1);
        List<LeaseRow> rows = new ArrayList<>();
        for (int i = 0; i < fields.size(); i += 2) {
            String field = String.valueOf(fields.get(i));
            String value = String.valueOf(fields.get(i + 1));
            if (LeaseRow.isName(field)) {
                rows.add(row(Integer.parseInt(field), value));
            }
        }
        rows.sort(Comparator.comparingInt(LeaseRow::worker));
        return new LeaseReply.Rows(Long.parseLong(String.valueOf(reply.get(0))), List.copyOf(rows));
    }

    private LeaseRow row(int worker, String value) {
        String[] parts = value.split("\n", -1);
        try {
            return new LeaseRow(worker, parts[0], Long.parseLong(parts[1]), Long.parseLong(parts[2]),
                    Long.parseLong(parts[3]), text(parts[4]), text(parts[5]));
        }
        catch (IllegalArgumentException | IndexOutOfBoundsException ex) {
            throw refused("field='%s' (it is no lease)".formatted(worker),
                    "remove the field by 'HDEL', or take another prefix of the key");
        }
    }

    private static String rest(@Nullable String owner, @Nullable String layout) {
        return encoded(owner) + "\n" + encoded(layout);
    }

    private static String encoded(@Nullable String text) {
        return (text != null) ? "=" + URLEncoder.encode(text, StandardCharsets.UTF_8) : "";
    }

    private static @Nullable String text(String encoded) {
        return encoded.isEmpty() ? null : URLDecoder.decode(encoded.substring(1), StandardCharsets.UTF_8);
    }

    private StatefulRedisConnection<String, String> open() {
        StatefulRedisConnection<String, String> known = this.connection;
        if (known != null) {
            return known;
        }
        RedisClient client = (this.client != null) ? this.client : RedisClient.create();
        this.client = client;
        client.setOptions(ClientOptions.builder()
            .autoReconnect(false)
            .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
            .socketOptions(SocketOptions.builder().connectTimeout(LIMIT).build())
            .build());
        StatefulRedisConnection<String, String> fresh = client.connect(this.uri);
        fresh.setTimeout(LIMIT);
        this.connection = fresh;
        return fresh;
    }

    private void drop() {
        StatefulRedisConnection<String, String> known = this.connection;
        this.connection = null;
        if (known != null) {
            known.closeAsync();
        }
    }

    @Override
    public void disconnect() {
        drop();
    }

    @Override
    public void close() {
        drop();
        RedisClient known = this.client;
        this.client = null;
        if (known != null) {
            known.shutdownAsync(0, CLOSE_LIMIT.toMillis(), java.util.concurrent.TimeUnit.MILLISECONDS);
        }
    }

    /**
     * Why a server does not do what it is asked. Lettuce has the code of a reply in the
     * message alone, and within scripts a server has no code for some of them.
     */
    private enum Refusal {

        /** It would write by {@code min-replicas-to-write} only. */
        TOO_FEW_REPLICAS("^NOREPLICAS"),

        LOGIN("WRONGPASS|NOAUTH|invalid password"),

        RIGHT("NOPERM|ACL failure|user executing the script"),

        OTHER_TYPE("WRONGTYPE"),

        NONE("");

        private final Pattern reply;

        Refusal(String reply) {
            this.reply = Pattern.compile(reply);
        }

        static Refusal of(String said) {
            return Arrays.stream(values()).filter((each) -> each.reply.matcher(said).find()).findFirst().orElse(NONE);
        }

    }

}
