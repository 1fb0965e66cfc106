package io.shardedid.spring.several;

import java.util.Map;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.spring.boot.ShardedIdDataSource;
import io.shardedid.spring.several.photos.Photo;
import io.shardedid.spring.several.users.User;
import jakarta.persistence.EntityManagerFactory;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;

@Configuration(proxyBeanMethods = false)
class TwoDatabases {

    @Configuration(proxyBeanMethods = false)
    @EnableJpaRepositories(basePackageClasses = User.class, entityManagerFactoryRef = "usersUnit",
            transactionManagerRef = "usersTransactions")
    static class ForUsers {

        @Bean
        @ShardedIdDataSource // the lease table is here
        @ConfigurationProperties("users.datasource")
        HikariDataSource usersDatabase() {
            return new HikariDataSource();
        }

        @Bean
        LocalContainerEntityManagerFactoryBean usersUnit(@Qualifier("usersDatabase") DataSource database) {
            return unit("users", database, User.class);
        }

        @Bean
        JpaTransactionManager usersTransactions(@Qualifier("usersUnit") EntityManagerFactory unit) {
            return new JpaTransactionManager(unit);
        }

    }

    @Configuration(proxyBeanMethods = false)
    @EnableJpaRepositories(basePackageClasses = Photo.class, entityManagerFactoryRef = "photosUnit",
            transactionManagerRef = "photosTransactions")
    static class ForPhotos {

        @Bean
        @ConfigurationProperties("photos.datasource")
        HikariDataSource photosDatabase() {
            return new HikariDataSource();
        }

        @Bean
        LocalContainerEntityManagerFactoryBean photosUnit(@Qualifier("photosDatabase") DataSource database) {
            return unit("photos", database, Photo.class);
        }

        @Bean
        JpaTransactionManager photosTransactions(@Qualifier("photosUnit") EntityManagerFactory unit) {
            return new JpaTransactionManager(unit);
        }

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
