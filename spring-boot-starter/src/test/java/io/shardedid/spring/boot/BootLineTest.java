package io.shardedid.spring.boot;

import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootVersion;

import static org.assertj.core.api.Assertions.assertThat;

class BootLineTest {

    /** The line that the starter itself is compiled and tested with. */
    static final String NEWEST = "4.1";

    /** Modules that run these tests on another line say so. */
    @Test
    void testsRunOnTheLineThatTheBuildMeans() {
        assertThat(SpringBootVersion.getVersion()).startsWith(System.getProperty("boot.line", NEWEST) + ".");
    }

}
