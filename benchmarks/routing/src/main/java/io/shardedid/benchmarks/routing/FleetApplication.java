package io.shardedid.benchmarks.routing;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.shardedid.routing.Shards;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.orm.jpa.SharedEntityManagerCreator;

/**
 * One process of the fleet as users have it, with Spring Boot and Hibernate.
 */
final class FleetApplication {

    private FleetApplication() {
    }

    /**
     * Starts, and answers with milliseconds: from the start of the JVM until the start
     * has ended, of the first merge, and the median and the maximum of the others.
     * @param arguments the size of the fleet, a file of properties, {@code fill} or
     * {@code merge}, and more properties
     */
    public static void main(String[] arguments) {
        FleetJvm.endWithParent();
        FleetSize size = FleetSize.of(arguments[0]);
        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(RoutingRounds.class)
            .web(WebApplicationType.NONE)
            .properties("spring.main.banner-mode=off", "logging.level.root=error", "spring.jpa.open-in-view=false",
                    "spring.jpa.hibernate.ddl-auto=validate", "spring.jpa.properties.hibernate.jdbc.batch_size=50",
                    "spring.config.import=" + Path.of(arguments[1]).toUri())
            .run(List.of(arguments).subList(3, arguments.length).toArray(String[]::new))) {
            long start = System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime();
            if (arguments[2].equals("fill")) {
                fill(application.getBean(Photos.class), size);
                FleetJvm.answer(Long.toString(start));
                return;
            }
            EntityManager entities = SharedEntityManagerCreator
                .createSharedEntityManager(application.getBean(EntityManagerFactory.class));
            Shards shards = application.getBean(Shards.class);
            double first = merge(shards, entities);
            double[] others = IntStream.range(0, size.merges())
                .mapToDouble((i) -> merge(shards, entities))
                .sorted()
                .toArray();
            FleetJvm.answer(
                    "%d %.0f %.0f %.0f".formatted(start, first, others[others.length / 2], others[others.length - 1]));
        }
    }

    private static void fill(Photos photos, FleetSize size) {
        photos.saveAll(LongStream.range(0, size.shards())
            .boxed()
            .flatMap((user) -> IntStream.range(0, size.rows()).mapToObj((i) -> new Photo(user, "photo " + i)))
            .toList());
    }

    /** The newest rows of all databases, each of which takes 5 ms to answer. */
    @SuppressWarnings("unchecked")
    private static double merge(Shards shards, EntityManager entities) {
        long began = System.nanoTime();
        List<Photo> newest = shards.merge(Comparator.comparing(Photo::getId).reversed(), 20,
                () -> (List<Photo>) entities
                    .createNativeQuery("select p.* from pg_sleep(0.005), photo p order by p.id desc limit 20",
                            Photo.class)
                    .getResultList());
        if (newest.size() != 20) {
            throw new IllegalStateException("Rows are missing: rows=" + newest.size());
        }
        return (System.nanoTime() - began) / 1e6;
    }

}
