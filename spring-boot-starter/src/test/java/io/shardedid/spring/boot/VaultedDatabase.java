package io.shardedid.spring.boot;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The pool of docs/lease-table.md#passwords-that-change. */
@Configuration(proxyBeanMethods = false)
class VaultedDatabase {

    @Bean
    HikariDataSource dataSource(Vault vault, @Value("${spring.datasource.url}") String url) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setCredentialsProvider(() -> Credentials.of(vault.user(), vault.password()));
        return pool;
    }

}
