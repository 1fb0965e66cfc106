package io.shardedid.routing;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.shardedid.shards.ShardDirectory;
import io.shardedid.shards.ShardMap;

import org.springframework.beans.factory.config.BeanPostProcessor;

/** Counts the uses of the shard map that go on. */
final class OpenUses implements BeanPostProcessor {

    private final AtomicInteger open = new AtomicInteger();

    int count() {
        return this.open.get();
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        return (bean instanceof ShardDirectory directory) ? counted(directory) : bean;
    }

    private Object counted(ShardDirectory directory) {
        return Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { ShardDirectory.class },
                (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(directory, arguments);
                        return (result instanceof ShardDirectory.Use use) ? new Counted(use) : result;
                    }
                    catch (InvocationTargetException ex) {
                        throw ex.getTargetException();
                    }
                });
    }

    private final class Counted implements ShardDirectory.Use {

        private final ShardDirectory.Use use;

        private final AtomicBoolean ended = new AtomicBoolean();

        Counted(ShardDirectory.Use use) {
            this.use = use;
            OpenUses.this.open.incrementAndGet();
        }

        @Override
        public ShardMap map() {
            return this.use.map();
        }

        @Override
        public void close() {
            if (this.ended.compareAndSet(false, true)) {
                OpenUses.this.open.decrementAndGet();
            }
            this.use.close();
        }

    }

}
