package io.shardedid.internal.lease;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TokenBookTest {

    private final AtomicInteger made = new AtomicInteger();

    private final TokenBook tokens = new TokenBook(() -> "token " + this.made.incrementAndGet());

    @Test
    void knowsWhatItSentAndNothingElse() {
        assertThat(this.tokens.mine("token 1")).isFalse();
        assertThat(this.tokens.fresh()).isEqualTo("token 1");
        assertThat(this.tokens.fresh()).isEqualTo("token 2");
        assertThat(this.tokens.mine("token 1")).isTrue();
        assertThat(this.tokens.mine("token 2")).isTrue();
        assertThat(this.tokens.mine("token 3")).isFalse();
    }

    @Test
    void remembersTheLast64() {
        IntStream.rangeClosed(1, 64).forEach((i) -> this.tokens.fresh());
        this.tokens.confirmed("token 64");
        assertThat(this.tokens.mine("token 1")).isTrue();

        this.tokens.fresh();

        assertThat(this.tokens.mine("token 1")).isFalse();
        assertThat(this.tokens.mine("token 2")).isTrue();
        assertThat(this.tokens.mine("token 65")).isTrue();
    }

    @Test
    void remembersAConfirmedWriteAndTheFirst8SinceThenToo() {
        this.tokens.fresh();
        this.tokens.confirmed(this.tokens.fresh());
        IntStream.rangeClosed(3, 200).forEach((i) -> this.tokens.fresh());

        assertThat(this.tokens.mine("token 1")).isFalse();
        assertThat(this.tokens.mine("token 2")).isTrue();
        assertThat(this.tokens.mine("token 3")).isTrue();
        assertThat(this.tokens.mine("token 10")).isTrue();
        assertThat(this.tokens.mine("token 11")).isFalse();
        assertThat(this.tokens.mine("token 200")).isTrue();
    }

}
