package io.shardedid.tck;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import io.shardedid.tck.MemoryStore.Flaw;
import io.shardedid.worker.LeaseRow;
import io.shardedid.worker.LeaseStore;
import io.shardedid.worker.StorePromise;
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
    private StorePromise promise;

    @Override
    protected LeaseStore open(String namespace) {
        return open(namespace, this.promise, Flaw.NONE);
    }

    private LeaseStore open(String namespace, StorePromise promised, Flaw flaw) {
        return new MemoryStore(this.namespaces.computeIfAbsent(namespace, (name) -> new TreeMap<>()), promised, flaw);
    }

    @Test
    void aConnectionThatShowsThePastIsFound() {
        refused(LeaseStoreCheck.SHOWS_A_WRITE_AFTER_RECONNECTING, this.promise, Flaw.STALE_AFTER_RECONNECTING);
    }

    @Test
    void aGuardThatIsIgnoredIsFound() {
        refused(LeaseStoreCheck.APPLIES_NO_GUARD_THAT_IT_CANNOT_EVALUATE, StorePromise.KEPT, Flaw.GUARDS_IGNORED);
    }

    @Test
    void aTokenThatIsIgnoredIsFound() {
        refused(LeaseStoreCheck.UPDATES_UNDER_THE_SEEN_TOKEN_ONLY, this.promise, Flaw.TOKEN_IGNORED);
    }

    @Test
    void aMarkThatIsIgnoredIsFound() {
        refused(LeaseStoreCheck.UPDATES_BELOW_THE_MARK_ONLY, this.promise, Flaw.MARK_IGNORED);
    }

    @Test
    void aLatestTimeThatIsIgnoredIsFound() {
        refused(LeaseStoreCheck.UPDATES_IN_TIME_ONLY, StorePromise.CONFIGURED, Flaw.LATEST_IGNORED);
    }

    private void refused(LeaseStoreCheck check, StorePromise promised, Flaw flaw) {
        assertThatExceptionOfType(AssertionError.class)
            .isThrownBy(() -> check.run(open("a", promised, flaw), open("A", promised, flaw)));
    }

}
