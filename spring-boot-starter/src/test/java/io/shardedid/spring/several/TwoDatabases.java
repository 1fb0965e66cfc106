package io.shardedid.spring.several;

import java.util.Map;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.spring.boot.ShardedIdDataSource;
import io.shardedid.spring.several.photos.Photo;
import io.shardedid.spring.several.users.User;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;

@Configuration(proxyBeanMethods = false)
class TwoDatabases {

    @Bean
    @ShardedIdDataSource // the lease table is here
    @ConfigurationProperties("users.datasource")
    HikariDataSource users() {
        return new HikariDataSource();
    }

    @Bean
    @ConfigurationProperties("photos.datasource")
    HikariDataSource photos() {
        return new HikariDataSource();
    }

    @Bean
    LocalContainerEntityManagerFactoryBean usersUnit(@Qualifier("users") DataSource database) {
        return unit("users", database, User.class);
    }

    @Bean
    LocalContainerEntityManagerFactoryBean photosUnit(@Qualifier("photos") DataSource database) {
        return unit("photos", database, Photo.class);
    }

    private static LocalContainerEntityManagerFactoryBean unit(String name, DataSource database, Class<?> entity) {
        LocalContainerEntityManagerFactoryBean unit = new LocalContainerEntityManagerFactoryBean();
        unit.setPersistenceUnitName(name);
        unit.setDataSource(database);
        unit.setPackagesToScan(entity.getPackageName());
        unit.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        unit.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "update"));
        return unit;
    }

}
