package io.shardedid.sample;

import java.util.Locale;
import java.util.Map;

import io.shardedid.sample.photo.Photo;
import io.shardedid.sample.user.User;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.hibernate.cfg.JdbcSettings;
import org.hibernate.cfg.SchemaToolingSettings;
import org.hibernate.cfg.ValidationSettings;
import org.thymeleaf.context.Context;
import org.thymeleaf.spring6.SpringTemplateEngine;
import org.thymeleaf.templateresolver.StringTemplateResolver;

import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * Reads an empty database and renders a page, on Spring Boot's thread for what may load
 * early: Hibernate, H2 and Thymeleaf are half of the classes of a start, and a second
 * processor has little else to do while the first reads the configuration.
 */
class EarlyClasses implements BackgroundPreinitializer {

    @Override
    public void preinitialize() {
        Configuration configuration = new Configuration().addAnnotatedClass(User.class).addAnnotatedClass(Photo.class);
        try (SingleConnectionDataSource nowhere = new SingleConnectionDataSource("jdbc:h2:mem:", true)) {
            configuration.getProperties()
                .putAll(Map.of(JdbcSettings.JAKARTA_NON_JTA_DATASOURCE, nowhere, SchemaToolingSettings.HBM2DDL_AUTO,
                        "create", ValidationSettings.JAKARTA_VALIDATION_MODE, "none", "shardedid.worker.mode", "none"));
            read(configuration);
        }
        SpringTemplateEngine pages = new SpringTemplateEngine();
        pages.setTemplateResolver(new StringTemplateResolver());
        pages.process("<p th:text=\"${early}\"></p>", new Context(Locale.ROOT, Map.of("early", true)));
    }

    private static void read(Configuration configuration) {
        try (SessionFactory hibernate = configuration.buildSessionFactory()) {
            hibernate.inTransaction((session) -> session
                .createQuery("from Photo p join fetch p.author where p.id < :before order by p.id desc", Photo.class)
                .setParameter("before", Long.MAX_VALUE)
                .setMaxResults(1)
                .getResultList());
        }
    }

}
