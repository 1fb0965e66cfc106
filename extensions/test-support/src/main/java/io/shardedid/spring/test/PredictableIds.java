package io.shardedid.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives the application context of a test class ids that are the same in each run. No
 * worker id is leased and no lease table is needed; ids carry a fixed worker and the time
 * of a {@link io.shardedid.test.TestClock TestClock}, which the test injects and sets.
 * Works in {@code @SpringBootTest}, {@code @DataJpaTest}, {@code @WebMvcTest} and every
 * other test whose context Spring Boot makes.
 *
 * <pre>
 * &#64;DataJpaTest
 * &#64;PredictableIds(start = "2025-06-01T12:00:00Z")
 * class PhotosTest {
 *
 *     &#64;Autowired
 *     TestClock clock;
 *
 * }
 * </pre>
 *
 * <p>
 * What is promised: each application context has an engine of its own, which begins at
 * {@link #start()}. A test method begins there too if no method of the context has made
 * an id or moved the clock before; otherwise at a full hour since then, which is later
 * than all ids that were made, so that the first id of each shard has sequence 0 again.
 * Ids of one context never repeat, also where a test commits. Ids of two contexts do:
 * each needs a database of its own, as Spring Boot's embedded ones are, or has to roll
 * back.
 *
 * @since 0.1
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.TYPE, ElementType.ANNOTATION_TYPE })
public @interface PredictableIds {

    /**
     * When the clock of the context starts: an ISO instant, in the range of the layout.
     * @return the instant
     */
    String start() default "2025-06-01T12:00:00Z";

    /**
     * The worker id that all ids of the context carry.
     * @return 0 to 2<sup>worker bits</sup> - 1
     */
    int worker() default 0;

}
