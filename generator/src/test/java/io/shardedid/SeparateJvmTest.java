package io.shardedid;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Separate JVMs leave nothing behind when the JVM of the tests is killed.
 */
class SeparateJvmTest {

    @Test
    void endsWithItsParent() throws Exception {
        Process parent = new ProcessBuilder(SeparateJvm.command(Parent.class))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
        ProcessHandle child;
        try {
            String printed = parent.inputReader(StandardCharsets.UTF_8).readLine();
            child = ProcessHandle.of(Long.parseLong(printed)).orElseThrow();
        }
        finally {
            parent.destroyForcibly();
        }
        try {
            child.onExit().get(30, TimeUnit.SECONDS);
        }
        finally {
            child.destroyForcibly();
        }
        assertThat(child.isAlive()).isFalse();
    }

    /** Starts a JVM, prints its process id when that runs, and waits. */
    static final class Parent {

        private Parent() {
        }

        public static void main(String[] args) throws Exception {
            Process child = new ProcessBuilder(SeparateJvm.command(Child.class))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
            System.out.println(child.inputReader(StandardCharsets.UTF_8).readLine());
            new CountDownLatch(1).await();
        }

    }

    /** Prints its process id and waits. */
    static final class Child {

        private Child() {
        }

        public static void main(String[] args) throws Exception {
            SeparateJvm.endWithParent();
            System.out.println(ProcessHandle.current().pid());
            new CountDownLatch(1).await();
        }

    }

}
