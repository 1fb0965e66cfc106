package io.shardedid.benchmarks;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;

/**
 * Entities by the number: each with an id, its shard key and two columns more.
 */
final class ManyEntities {

    private ManyEntities() {
    }

    static List<Class<?>> make(int count, boolean sharded) {
        List<AnnotationDescription> onId = new ArrayList<>();
        onId.add(AnnotationDescription.Builder.ofType(Id.class).build());
        if (sharded) {
            onId.add(AnnotationDescription.Builder.ofType(ShardedId.class).define("shardKey", "userId").build());
        }
        List<Class<?>> entities = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entities.add(entity("%s.many.%s%sOf%s".formatted(ManyEntities.class.getPackageName(),
                    sharded ? "Sharded" : "Assigned", i, count), onId));
        }
        return entities;
    }

    /** Two measurements of one run share their entities. */
    private static Class<?> entity(String name, List<AnnotationDescription> onId) {
        try {
            return Class.forName(name, false, ManyEntities.class.getClassLoader());
        }
        catch (ClassNotFoundException ex) {
            return new ByteBuddy().subclass(Object.class)
                .name(name)
                .annotateType(AnnotationDescription.Builder.ofType(Entity.class).build())
                .defineField("id", Long.class, Visibility.PUBLIC)
                .annotateField(onId)
                .defineField("userId", long.class, Visibility.PUBLIC)
                .defineField("caption", String.class, Visibility.PUBLIC)
                .defineField("createdAt", Instant.class, Visibility.PUBLIC)
                .make()
                .load(ManyEntities.class.getClassLoader(), ClassLoadingStrategy.Default.INJECTION)
                .getLoaded();
        }
    }

}
