package io.shardedid.internal.lease.jdbc;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.stream.Stream;

import javax.sql.DataSource;

import org.apache.commons.dbcp2.BasicDataSource;
import org.apache.commons.logging.LogFactory;
import org.apache.commons.pool2.ObjectPool;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KnownDataSourceTest {

    /** As in a server, whose pool has a loader of its own. */
    @Test
    void poolOfAnotherClassLoaderIsKnown() throws Exception {
        URL[] jars = Stream.of(BasicDataSource.class, ObjectPool.class, LogFactory.class)
            .map((type) -> type.getProtectionDomain().getCodeSource().getLocation())
            .toArray(URL[]::new);
        try (URLClassLoader server = new URLClassLoader(jars, ClassLoader.getPlatformClassLoader())) {
            DataSource pool = (DataSource) server.loadClass(BasicDataSource.class.getName())
                .getConstructor()
                .newInstance();
            assertThat(KnownDataSource.of(pool)).hasValueSatisfying((kind) -> assertThat(kind.size(pool)).hasValue(8));
        }
    }

}
