package io.shardedid.routing;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ShownTest {

    @Test
    void valueIsOneLineAndNotTooLong() {
        assertThat(Shown.value("eve@y.org\r\nSECOND LINE\u2028\u0085\u001b[31m"))
            .isEqualTo("eve@y.org??SECOND LINE???[31m");
        assertThat(Shown.value("x".repeat(1000))).hasSize(83).endsWith("x...");
        assertThat(Shown.value(4711L)).isEqualTo("4711");
        assertThat(Shown.line("key=ü: a\nb…")).isEqualTo("key=ü: a?b…");
    }

}
