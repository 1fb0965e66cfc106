package io.shardedid.hibernate;

import io.shardedid.ShardedId;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ShardedAttributeTest {

    @Test
    void nameIsThatOfTheAttributeWhereverItIsAnnotated() {
        assertThat(ShardedAttribute.of(Named.class)).extracting(ShardedAttribute::name)
            .containsExactlyInAnyOrder("onField", "userId", "URLId", "x", "active", "getter", "issue", "accessor");
    }

    abstract static class Named {

        @ShardedId
        Long onField;

        @ShardedId
        abstract Long getUserId();

        /** Two capitals stay, as the rules of Java beans have it. */
        @ShardedId
        abstract Long getURLId();

        @ShardedId
        abstract Long getX();

        @ShardedId
        abstract Long isActive();

        @ShardedId
        abstract Long getter();

        @ShardedId
        abstract Long issue();

        @ShardedId
        abstract Long accessor();

    }

}
