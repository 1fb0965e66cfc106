package io.shardedid;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.function.LongSupplier;

import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The core in a class loader that has the JDK, the driver of H2 and this module, and
 * neither Hibernate nor Spring.
 */
class CoreAloneTest {

    @Test
    void leasesAWorkerAndMakesAnIdWithoutHibernateAndSpring() throws Exception {
        URL[] path = { home(ShardedIds.class), home(CoreAloneTest.class), home(JdbcDataSource.class) };
        try (URLClassLoader loader = new URLClassLoader(path, ClassLoader.getPlatformClassLoader())) {
            for (String absent : List.of("org.hibernate.Session", "jakarta.persistence.Entity",
                    "org.springframework.core.env.Environment", "io.shardedid.hibernate.ShardedIdService")) {
                assertThatExceptionOfType(Throwable.class).as(absent)
                    .isThrownBy(() -> Class.forName(absent, true, loader).getDeclaredMethods())
                    .isInstanceOfAny(ClassNotFoundException.class, NoClassDefFoundError.class);
            }
            LongSupplier alone = (LongSupplier) Class.forName(OneId.class.getName(), true, loader)
                .getDeclaredConstructor()
                .newInstance();

            long id = alone.getAsLong();

            assertThat(alone.getClass()).isNotEqualTo(OneId.class);
            assertThat(IdLayout.standard().parse(id).shard()).isEqualTo(1001);
        }
    }

    private static URL home(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    public static final class OneId implements LongSupplier {

        @Override
        public long getAsLong() {
            JdbcDataSource database = new JdbcDataSource();
            database.setURL("jdbc:h2:mem:alone;DB_CLOSE_DELAY=-1");
            try (ShardedIds ids = ShardedIds.builder()
                .workers(JdbcWorkerLeases.leased(database, LeaseSettings.builder().build()))
                .open()) {
                return ids.nextFor(5001);
            }
        }

    }

}
