package io.shardedid;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ExceptionsTest {

    /** But for one that is Hibernate's. */
    @Test
    void allExceptionsHaveOneRoot() throws IOException {
        try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
            assertThat(sources.map((path) -> path.getFileName().toString())
                .filter((name) -> name.endsWith("Exception.java"))).containsExactlyInAnyOrder("ShardedIdException.java",
                        "ShardedIdConfigurationException.java", "ShardKeyException.java", "WorkerLeaseException.java",
                        "IdsAheadOfClockException.java", "IdRangeExhaustedException.java",
                        "ShardedIdMappingException.java");
        }
        assertThat(ShardedIdException.class).isAssignableFrom(ShardedIdConfigurationException.class)
            .isAssignableFrom(ShardKeyException.class)
            .isAssignableFrom(WorkerLeaseException.class)
            .isAssignableFrom(IdsAheadOfClockException.class)
            .isAssignableFrom(IdRangeExhaustedException.class);
    }

    @Test
    void onlyWhatPassesIsRetryable() {
        assertThat(Stream.of(new WorkerLeaseException("x"), new IdsAheadOfClockException("x")))
            .allMatch(ShardedIdException::retryable);
        assertThat(Stream.of(new ShardedIdException("x"), new ShardedIdConfigurationException("x"),
                new IdRangeExhaustedException("x"), new ShardKeyException("x"),
                new ShardKeyException("x", ShardKeyException.Reason.ID_NOT_OF_ROW),
                new WorkerLeaseException("x", false, "Wait.", null)))
            .noneMatch(ShardedIdException::retryable);
    }

    @Test
    void onlyAnIdThatCannotExistHidesARow() {
        assertThat(Stream.of(ShardKeyException.Reason.values())
            .filter((reason) -> new ShardKeyException("x", reason).hidesRow()))
            .containsExactly(ShardKeyException.Reason.NO_SUCH_ID);
        assertThat(new ShardedIdException("x").hidesRow()).isFalse();
    }

    @Test
    void eachReasonOfAShardKeyHasAnActionOfItsOwn() {
        assertThat(Stream.of(ShardKeyException.Reason.values())
            .map((reason) -> new ShardKeyException("x", reason))
            .map(ShardedIdException::action)).doesNotHaveDuplicates().allMatch((action) -> action.endsWith("."));
    }

}
