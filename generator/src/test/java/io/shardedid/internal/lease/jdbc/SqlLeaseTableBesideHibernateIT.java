package io.shardedid.internal.lease.jdbc;

import io.shardedid.testdb.EachServer;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import io.shardedid.tck.LeaseStoreCheck;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement.Insert;
import io.shardedid.internal.lease.LeaseStore;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Schemas that an application makes and drops beside a live peer leave the leases alone.
 */
@Tag("proof")
class SqlLeaseTableBesideHibernateIT {

    @ParameterizedTest
    @EachServer
    void survivesCreateAndCreateDrop(TestServer server) {
        TestDatabase database = server.freshDatabase();
        LeaseRow row = new LeaseRow(3, "token", 1, 2, 4, "peer", null);
        try (LeaseStore table = LeaseTableContract.table(TestConnections.to(database), "default")) {
            table.ensure();
            table.execute(new Insert(row, null));
            for (String action : new String[] { "create", "create-drop", "update", "create", "drop" }) {
                start(database, action).close();
                assertThat(LeaseStoreCheck.read(table).rows()).as(action).containsExactly(row);
            }
        }
    }

    private static SessionFactory start(TestDatabase database, String action) {
        return new Configuration().addAnnotatedClass(Note.class)
            .setProperty("jakarta.persistence.jdbc.url", database.url())
            .setProperty("jakarta.persistence.jdbc.user", database.user())
            .setProperty("jakarta.persistence.jdbc.password", database.password())
            .setProperty("hibernate.hbm2ddl.auto", action)
            .buildSessionFactory();
    }

    @Entity(name = "Note")
    static class Note {

        @Id
        Long id;

        String text;

    }

}
