package photos;

import io.quarkus.runtime.ShutdownEvent;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.LeaseSettings;
import io.shardedid.JdbcWorkerLeases;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.service.spi.ServiceContributor;
import org.postgresql.ds.PGSimpleDataSource;

@ApplicationScoped
public class PhotoIds implements ServiceContributor {

    private static ShardedIdEngine engine;

    /**
     * Quarkus builds the mapping before it has a data source.
     */
    static synchronized ShardedIdEngine engine() {
        if (engine == null) {
            Config config = ConfigProvider.getConfig();
            PGSimpleDataSource database = new PGSimpleDataSource();
            database.setUrl(config.getValue("quarkus.datasource.jdbc.url", String.class));
            database.setUser(config.getValue("quarkus.datasource.username", String.class));
            engine = ShardedIds.builder()
                .shards(2000)
                .workers(JdbcWorkerLeases.leased(database, LeaseSettings.builder().build()))
                .open();
        }
        return engine;
    }

    @Override
    public void contribute(StandardServiceRegistryBuilder builder) {
        builder.applySetting("shardedid.engine", engine());
    }

    void giveTheWorkerBack(@Observes ShutdownEvent event) {
        engine().close();
    }

}
