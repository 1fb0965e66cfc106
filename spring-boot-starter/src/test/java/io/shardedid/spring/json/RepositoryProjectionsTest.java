package io.shardedid.spring.json;

import java.util.ArrayList;
import java.util.List;

import io.shardedid.jackson.IdTexts;
import io.shardedid.spring.feed.FeedApplication;
import io.shardedid.spring.feed.Photo;
import io.shardedid.spring.feed.Photos;
import jakarta.persistence.EntityManager;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.data.jpa.repository.support.JpaRepositoryFactoryBean;

import static org.assertj.core.api.Assertions.assertThat;

/** Which repositories are looked at for their projections. */
@Tag("slow")
@SpringBootTest(classes = FeedApplication.class)
class RepositoryProjectionsTest {

    @Autowired
    private ObjectProvider<ProjectedIds> ids;

    @Autowired
    private ObjectProvider<IdTexts> formats;

    @Autowired
    private EntityManager entities;

    /**
     * As by another thread, while this one asks for those that were exported before. The
     * factories of older lines want a resolver of Querydsl.
     */
    @Test
    @Tag("boot-4.1")
    void repositoryThatComesWhileExportedProjectionsAreToldIsLookedAt() {
        RepositoryProjections projections = new RepositoryProjections(this.ids, this.formats);
        List<Class<?>> asked = new ArrayList<>();
        projections.lookAtExported((before) -> {
            projections.lookAtExported((domain) -> {
                asked.add(domain);
                return List.of();
            });
            return List.of();
        });
        JpaRepositoryFactoryBean<Photos, Photo, Long> repository = new JpaRepositoryFactoryBean<>(Photos.class);
        repository.setEntityManager(this.entities);
        projections.postProcessBeforeInitialization(repository, "photos");

        repository.afterPropertiesSet();

        assertThat(asked).containsExactly(Photo.class);
    }

}
