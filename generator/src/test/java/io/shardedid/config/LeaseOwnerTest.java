package io.shardedid.config;

import io.shardedid.worker.Host;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseOwnerTest {

    @Test
    void namesApplicationHostAndProcess() {
        String process = Host.LOCAL.name() + ", pid " + ProcessHandle.current().pid();
        assertThat(LeaseOwner.of("orders")).isEqualTo("orders on " + process);
        assertThat(LeaseOwner.of("")).isEqualTo(process);
    }

}
