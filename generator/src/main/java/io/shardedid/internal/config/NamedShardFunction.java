package io.shardedid.internal.config;

import io.shardedid.ShardFunction;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdConfigurationException.Problem;
import org.jspecify.annotations.Nullable;

/**
 * A shard function by its name in configuration: one of ours, or a class with a
 * constructor that takes nothing.
 */
final class NamedShardFunction {

    private NamedShardFunction() {
    }

    static ShardFunction find(String key, String name) {
        return switch (name) {
            case "modulo" -> ShardFunction.modulo();
            case "hash" -> ShardFunction.hash();
            default -> make(key, name, Thread.currentThread().getContextClassLoader());
        };
    }

    private static ShardFunction make(String key, String name, @Nullable ClassLoader applicationClasses) {
        ClassLoader classes = (applicationClasses != null) ? applicationClasses
                : NamedShardFunction.class.getClassLoader();
        try {
            return Class.forName(name, true, classes)
                .asSubclass(ShardFunction.class)
                .getDeclaredConstructor()
                .newInstance();
        }
        catch (ReflectiveOperationException | LinkageError | ClassCastException ex) {
            throw new ShardedIdConfigurationException(new Problem(
                    ("'%s' must be modulo, hash, a ShardFunction, or the name of its class with a constructor "
                            + "that takes nothing: %<s='%s' (%s)")
                        .formatted(key, name, ex),
                    null, key), ex);
        }
    }

}
