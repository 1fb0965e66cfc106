package io.shardedid.hibernate;

import java.util.LinkedHashMap;
import java.util.Map;

import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import io.shardedid.internal.config.ShardedIdSettings;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.hibernate.StatelessSession;
import org.hibernate.annotations.TenantId;
import org.hibernate.context.spi.CurrentTenantIdentifierResolver;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tenants that share a table, told apart by {@code @TenantId}.
 */
class TenantTest {

    private static final OneTenant TENANT = new OneTenant();

    static ShardedIdEngine ids;

    static TestUnit unit;

    @BeforeAll
    static void open() {
        ids = TestUnit.engine(25);
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put(ShardedIdSettings.ENGINE, ids);
        settings.put("hibernate.tenant_identifier_resolver", TENANT);
        unit = TestUnit.of(settings, Invoice.class);
    }

    @AfterAll
    static void close() {
        unit.close();
        ids.close();
    }

    @BeforeEach
    void chooseTenant() {
        TENANT.current = 7L;
    }

    @Test
    void readsTheTenantFromTheSession() {
        Invoice invoice = new Invoice();
        unit.persist(invoice);
        assertThat(ids.shardOf(invoice.id)).isEqualTo(7);
        assertThat(invoice.tenant).isEqualTo(7);
    }

    @Test
    void readsTheTenantFromAStatelessSession() {
        Invoice invoice = new Invoice();
        try (StatelessSession session = unit.factory.withStatelessOptions()
            .tenantIdentifier((Object) 8L)
            .openStatelessSession()) {
            session.getTransaction().begin();
            session.insert(invoice);
            session.getTransaction().commit();
        }
        assertThat(ids.shardOf(invoice.id)).isEqualTo(8);
    }

    @Test
    void mergesANewEntityOfTheTenant() {
        Invoice merged = unit.fromTransaction((session) -> session.merge(new Invoice()));
        assertThat(ids.shardOf(merged.id)).isEqualTo(7);
    }

    private static final class OneTenant implements CurrentTenantIdentifierResolver<Long> {

        volatile Long current = 7L;

        @Override
        public Long resolveCurrentTenantIdentifier() {
            return this.current;
        }

        @Override
        public boolean validateExistingCurrentSessions() {
            return false;
        }

    }

    @Entity(name = "Invoice")
    static class Invoice {

        @Id
        @ShardedId(shardKey = "tenant")
        Long id;

        @TenantId
        Long tenant;

    }

}
