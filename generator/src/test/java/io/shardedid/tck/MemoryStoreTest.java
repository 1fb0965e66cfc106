package io.shardedid.tck;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import io.shardedid.tck.MemoryStore.Flaw;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.Durability;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The contract passes on a store that keeps it, whatever the store promises. */
@ParameterizedClass
@EnumSource
class MemoryStoreTest extends LeaseStoreContract {

    private final Map<String, Map<Integer, LeaseRow>> namespaces = new ConcurrentHashMap<>();

    @Parameter
    private Durability durability;

    @Override
    protected LeaseStore open(String namespace) {
        return open(namespace, this.durability, Flaw.NONE);
    }

    private LeaseStore open(String namespace, Durability promised, Flaw flaw) {
        return new MemoryStore(this.namespaces.computeIfAbsent(namespace, (name) -> new TreeMap<>()), promised, flaw);
    }

    @Test
    void aConnectionThatShowsThePastIsFound() {
        refused(LeaseStoreCheck.SHOWS_A_WRITE_AFTER_RECONNECTING, this.durability, Flaw.STALE_AFTER_RECONNECTING);
    }

    @Test
    void aGuardThatIsIgnoredIsFound() {
        refused(LeaseStoreCheck.APPLIES_NO_GUARD_THAT_IT_CANNOT_EVALUATE, Durability.KEPT, Flaw.GUARDS_IGNORED);
    }

    @Test
    void aTokenThatIsIgnoredIsFound() {
        refused(LeaseStoreCheck.UPDATES_UNDER_THE_SEEN_TOKEN_ONLY, this.durability, Flaw.TOKEN_IGNORED);
    }

    @Test
    void aMarkThatIsIgnoredIsFound() {
        refused(LeaseStoreCheck.UPDATES_BELOW_THE_MARK_ONLY, this.durability, Flaw.MARK_IGNORED);
    }

    @Test
    void aLatestTimeThatIsIgnoredIsFound() {
        refused(LeaseStoreCheck.UPDATES_IN_TIME_ONLY, Durability.CONFIGURED, Flaw.LATEST_IGNORED);
    }

    private void refused(LeaseStoreCheck check, Durability promised, Flaw flaw) {
        assertThatExceptionOfType(AssertionError.class)
            .isThrownBy(() -> check.run(open("a", promised, flaw), open("A", promised, flaw)));
    }

}
