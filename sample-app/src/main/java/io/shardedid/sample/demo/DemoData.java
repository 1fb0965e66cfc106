package io.shardedid.sample.demo;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import javax.sql.DataSource;

import io.shardedid.ShardedIds;
import io.shardedid.config.ShardedIdSettings;
import io.shardedid.sample.like.Like;
import io.shardedid.sample.photo.Photo;
import io.shardedid.sample.photo.PhotoImage;
import io.shardedid.sample.photo.Picture;
import io.shardedid.sample.user.User;
import io.shardedid.sample.user.Users;
import io.shardedid.WorkerLease;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.jpa.EntityManagerFactoryBuilder;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.stereotype.Component;

/**
 * Fills an empty database with users, photos and likes of the last days before the port
 * opens, so that the first page of a first start shows a feed.
 * {@code sample.demo-data=false} leaves it empty.
 *
 * <p>
 * Ids go by the clock of the database, which shows the present. So the rows are persisted
 * by an entity manager factory with an id generator of its own: it lives for the fill
 * alone, and has a clock that begins some days ago and a {@link PastLease}.
 */
@Component
@ConditionalOnBooleanProperty(name = "sample.demo-data", matchIfMissing = true)
class DemoData implements SmartInitializingSingleton {

    private static final Logger LOG = LoggerFactory.getLogger(DemoData.class);

    private static final long SEED = 2012;

    /** How long before the first start the users signed up. */
    private static final Duration SINCE = Duration.ofDays(4);

    private final Users users;

    private final OwnLease lease;

    private final ShardedIdSettings settings;

    private final EntityManagerFactoryBuilder factories;

    private final PersistenceManagedTypes entities;

    private final DataSource database;

    DemoData(Users users, OwnLease lease, ShardedIdSettings settings, EntityManagerFactoryBuilder factories,
            PersistenceManagedTypes entities, DataSource database) {
        this.users = users;
        this.lease = lease;
        this.settings = settings;
        this.factories = factories;
        this.entities = entities;
        this.database = database;
    }

    @Override
    public void afterSingletonsInstantiated() {
        WorkerLease own = this.lease.first();
        if (own == null || own.acquisitions() > 1 || this.users.existsBy()) {
            return;
        }
        try {
            fill(own);
        }
        catch (PersistenceException twice) {
            // Another process started at the same moment: the unique names let one of
            // them in.
            if (!this.users.existsBy()) {
                throw twice;
            }
        }
    }

    private void fill(WorkerLease own) {
        DemoTime time = new DemoTime(own.from().minus(SINCE));
        try (ShardedIds ids = this.settings.builder().workers(new PastLease(own, time)).timeSource(time).open();
                EntityManagerFactory factory = factory(ids)) {
            factory.runInTransaction((manager) -> persist(manager, own.from(), time));
        }
        LOG.info("First start: made users, {} photos and likes of the last {} days", DemoPhoto.ALL.size(),
                SINCE.toDays());
    }

    private EntityManagerFactory factory(ShardedIds ids) {
        LocalContainerEntityManagerFactoryBean bean = this.factories.dataSource(this.database)
            .managedTypes(this.entities)
            .persistenceUnit("demo")
            .properties(Map.of(ShardedIdSettings.ENGINE, ids, "hibernate.hbm2ddl.auto", "none"))
            .build();
        bean.afterPropertiesSet();
        return Objects.requireNonNull(bean.getObject());
    }

    private static void persist(EntityManager manager, Instant now, DemoTime time) {
        Map<String, User> users = new TreeMap<>();
        for (DemoPhoto demo : DemoPhoto.ALL) {
            users.computeIfAbsent(demo.author(), (name) -> persisted(manager, new User(name)));
        }
        Random random = new Random(SEED);
        for (DemoPhoto demo : DemoPhoto.ALL) {
            time.goOnTo(now.minus(Duration.ofMinutes(demo.minutes())));
            User author = Objects.requireNonNull(users.get(demo.author()));
            Picture picture = demo.image();
            Photo photo = persisted(manager, new Photo(author, demo.caption(), picture.width(), picture.height()));
            manager.persist(new PhotoImage(photo, picture));
            List<User> fans = users.values()
                .stream()
                .filter((user) -> user != author && random.nextInt(5) < 3)
                .toList();
            for (User fan : fans) {
                time.goOnBy(Duration.ofSeconds(1));
                manager.persist(new Like(photo, fan));
            }
        }
    }

    private static <T> T persisted(EntityManager manager, T row) {
        manager.persist(row);
        return row;
    }

}
