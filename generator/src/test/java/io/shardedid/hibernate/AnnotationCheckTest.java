package io.shardedid.hibernate;

import io.shardedid.LoggedLines;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Annotations that are warned of; {@link MappingRefusalTest} tests those that fail. */
class AnnotationCheckTest {

    /** Hibernate ignores it beside an annotation of the kind that ours is. */
    @Test
    void warnsOfGeneratedValue() {
        try (LoggedLines log = new LoggedLines("io.shardedid.hibernate.AnnotationCheck");
                ShardedIdEngine ids = TestUnit.engine(28);
                TestUnit unit = TestUnit.with(ids, Generated.class)) {
            Generated row = new Generated();
            unit.persist(row);
            assertThat(ids.layout().workerOf(row.id)).isEqualTo(28);
            assertThat(log.lines()).singleElement()
                .asString()
                .contains("WARNING", "numbers", Generated.class.getName() + ".id", "remove");
        }
    }

    @Entity
    static class Generated {

        @Id
        @GeneratedValue(generator = "numbers")
        @ShardedId
        Long id;

    }

}
