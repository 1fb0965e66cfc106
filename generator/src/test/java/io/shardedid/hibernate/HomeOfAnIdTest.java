package io.shardedid.hibernate;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;

import io.shardedid.IdLayout;
import io.shardedid.IdReader;
import io.shardedid.Seed;
import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIds;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Where a row is looked for, where its children go, and which assigned ids its shard key
 * admits: all three go by {@link ShardedIds#shardOf}, for ids of every age.
 */
class HomeOfAnIdTest {

    private static final int SHARDS = 2000;

    private static final NumberForm NUMBER = new NumberForm(false, null);

    private static final IdLayout LAYOUT = IdLayout.standard();

    /** Ids are made here since an hour. */
    private static final Instant LINE = Instant.now().minus(Duration.ofHours(1));

    private final ShardOfKey parent = new ShardOfKey.CarriedById("E.parent", NUMBER, false);

    private final ShardOfKey scalar = new ShardOfKey.CarriedById("E.parentId", NUMBER, true);

    private final GeneratedAttribute assigned = new GeneratedAttribute("E", "id", NUMBER, false, true);

    /** The entity itself is its key. */
    private final ShardKey key = new ShardKey(new AttributePath("userId", List.of()), null,
            new ShardOfKey.ByFunction("E.userId"), false, false, null);

    private final SharedSessionContractImplementor session = (SharedSessionContractImplementor) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] { SharedSessionContractImplementor.class },
            (proxy, method, arguments) -> null);

    private final IdReader ids = ShardedIds.builder().shards(SHARDS).olderIdsBefore(LINE).reader();

    @Test
    void childrenAndAssignedIdsAgreeWithTheHomeOfARow() {
        Seed seed = Seed.ofThisRun();
        Random random = seed.random();
        for (int round = 0; round < 2000; round++) {
            boolean older = random.nextBoolean();
            int shard = random.nextInt(SHARDS);
            long id = older ? olderId(random) : LAYOUT.compose(LAYOUT.tickAt(LINE) + random.nextInt(3_000_000), shard,
                    random.nextInt(32), random.nextInt(32));
            String about = seed + ", id=" + id;
            int home = this.ids.shardOf(id);
            assertThat(this.ids.isOlder(id)).as(about).isEqualTo(older);
            assertThat(home).as(about).isEqualTo(older ? (int) (id % SHARDS) : shard);
            assertThat(this.parent.shardOf(id, this, this.ids)).as(about).isEqualTo(home);
            assertThat(this.scalar.shardOf(id, this, this.ids)).as(about).isEqualTo(home);
            assertThatNoException().as(about).isThrownBy(() -> check(id, home));
            int other = (home + 1 + random.nextInt(SHARDS - 1)) % SHARDS;
            assertThatExceptionOfType(ShardKeyException.class).as(about)
                .isThrownBy(() -> check(id, other))
                .withMessageContaining("shard=" + home + ", shard of the key=" + other);
        }
    }

    private void check(long id, int shardOfKey) {
        this.assigned.checkAssigned(id, this.key, shardOfKey, this.session, this.ids);
    }

    /** A plain number of any length, or an id of the layout from before the line. */
    private static long olderId(Random random) {
        return random.nextBoolean() ? 1 + (random.nextLong() >>> 24 + random.nextInt(38))
                : LAYOUT.compose(LAYOUT.tickAt(LINE) - 1 - random.nextInt(1_000_000), random.nextInt(2048), 0, 0);
    }

    @Test
    void aNegativeNumberIsAPlainOneThatNobodyCanAssign() {
        for (long id : new long[] { -1, -4711, Long.MIN_VALUE }) {
            int home = this.ids.shardOf(id);
            assertThat(this.ids.isOlder(id)).isTrue();
            assertThat(home).isEqualTo(this.ids.shardOfKey(id)).isBetween(0, SHARDS - 1);
            assertThat(this.parent.shardOf(id, this, this.ids)).isEqualTo(home);
            assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> this.scalar.shardOf(id, this, this.ids))
                .withMessageContainingAll("must hold a sharded id", "not 0", "value='" + id + "'");
            assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> check(id, home))
                .withMessageContaining("a number from 0 to");
        }
    }

}
