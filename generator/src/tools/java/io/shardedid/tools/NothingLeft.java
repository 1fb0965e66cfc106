package io.shardedid.tools;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.shardedid.ShardedIdEngine;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * At the end of a class of integration tests no engine is open and no thread of ours
 * runs that was not there at its begin: each would keep a lease, a connection or a slot.
 * Modules whose classes run one after another, and share no application, name it as a
 * service.
 */
public final class NothingLeft implements BeforeAllCallback, AfterAllCallback {

    private static final Namespace NAMESPACE = Namespace.create(NothingLeft.class);

    /** A thread may end a little later than what it worked for. */
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Override
    public void beforeAll(ExtensionContext context) {
        if (isCounted(context)) {
            context.getStore(NAMESPACE).put(Set.class, present().collect(Collectors.toSet()));
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        Set<?> before = isCounted(context) ? context.getStore(NAMESPACE).get(Set.class, Set.class) : null;
        if (before == null) {
            return;
        }
        long end = System.nanoTime() + LIMIT.toNanos();
        List<Object> left = left(before);
        while (!left.isEmpty() && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(10_000_000);
            left = left(before);
        }
        if (!left.isEmpty()) {
            throw new AssertionError("Left by %s: %s".formatted(context.getDisplayName(), left));
        }
    }

    /** Proofs are left out: they kill what they start, and count by themselves. */
    private static boolean isCounted(ExtensionContext context) {
        return context.getRequiredTestClass().getEnclosingClass() == null && !context.getTags().contains("proof");
    }

    private static List<Object> left(Set<?> before) {
        return present().filter((each) -> !before.contains(each)).toList();
    }

    private static Stream<Object> present() {
        return Stream.concat(ShardedIdEngine.openInThisJvm().stream(),
                Thread.getAllStackTraces()
                    .keySet()
                    .stream()
                    .filter((thread) -> thread.getName().startsWith("shardedid-")));
    }

}
