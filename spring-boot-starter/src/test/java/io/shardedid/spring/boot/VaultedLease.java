package io.shardedid.spring.boot;

import java.util.function.Supplier;

import io.shardedid.internal.lease.jdbc.LeaseLogin;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The login for the URL of the leases, of docs/lease-table.md#passwords-that-change. */
@Configuration(proxyBeanMethods = false)
class VaultedLease {

    @Bean
    Supplier<LeaseLogin> leaseLogin(Vault vault) {
        return () -> new LeaseLogin(vault.user(), vault.password());
    }

}
