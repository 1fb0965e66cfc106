package io.shardedid.internal.lease.jdbc;

import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ExecutionException;

import io.shardedid.WorkerLeaseException;
import io.shardedid.tck.LeaseRace;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseReply.Rows;
import io.shardedid.internal.lease.LeaseReply.Unknown;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStatement.ReadAll;
import io.shardedid.internal.lease.LeaseStore;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The race itself ends, whatever the table answers.
 */
class LeaseRaceTest {

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void endsOnATableThatAnswersNothing(boolean reads) {
        assertThatExceptionOfType(ExecutionException.class)
            .isThrownBy(() -> LeaseRace.run(1, () -> new SilentTable(reads)))
            .withCauseInstanceOf(AssertionError.class);
    }

    private record SilentTable(boolean reads) implements LeaseStore {

        @Override
        public void ensure() {
        }

        @Override
        public boolean isTransient(WorkerLeaseException failure) {
            return false;
        }

        @Override
        public LeaseReply execute(LeaseStatement statement) {
            return (this.reads && statement instanceof ReadAll) ? new Rows(0, List.of())
                    : new Unknown(new SQLException("silent"));
        }

        @Override
        public void disconnect() {
        }

        @Override
        public void close() {
        }

    }

}
