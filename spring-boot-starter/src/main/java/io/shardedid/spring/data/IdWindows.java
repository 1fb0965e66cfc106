package io.shardedid.spring.data;

import io.shardedid.IdWindow;
import jakarta.persistence.criteria.CriteriaBuilder;
import jakarta.persistence.criteria.Path;
import jakarta.persistence.criteria.Predicate;
import jakarta.persistence.criteria.Root;
import jakarta.persistence.metamodel.EntityType;

import org.springframework.data.domain.Range;
import org.springframework.data.jpa.domain.Specification;

/**
 * An {@link IdWindow} in Spring Data's terms. Derived queries take its bounds as they
 * are:
 *
 * <pre>
 * List&lt;Photo&gt; findByIdBetween(long firstId, long lastId);
 *
 * photos.findByIdBetween(window.firstId(), window.lastId());
 * photos.findAll(IdWindows.within(window), Sort.by(DESC, "id"));
 * </pre>
 *
 * @since 0.1
 */
public final class IdWindows {

    private IdWindows() {
    }

    /**
     * Returns the window as a closed range.
     * @param window the window
     * @return first to last id, both included; a window that holds no id has an upper
     * bound below the lower one
     */
    public static Range<Long> range(IdWindow window) {
        return Range.closed(window.firstId(), window.lastId());
    }

    /**
     * Returns the condition that the identifier of a row lies in a window.
     * @param window the window
     * @param <T> the entity
     * @return a specification, which throws an {@code IllegalArgumentException} for an
     * entity whose identifier is no {@code long}
     */
    public static <T> Specification<T> within(IdWindow window) {
        return (root, query, criteria) -> between(identifier(root), window, criteria);
    }

    /**
     * Returns the condition that an attribute that holds a sharded id lies in a window.
     * @param attribute the name of the attribute, a {@code long} or {@code Long}
     * @param window the window
     * @param <T> the entity
     * @return a specification
     */
    public static <T> Specification<T> within(String attribute, IdWindow window) {
        return (root, query, criteria) -> between(root.get(attribute), window, criteria);
    }

    private static Predicate between(Path<Long> id, IdWindow window, CriteriaBuilder criteria) {
        return criteria.between(id, window.firstId(), window.lastId());
    }

    private static <T> Path<Long> identifier(Root<T> root) {
        EntityType<T> entity = root.getModel();
        Class<?> type = (entity.hasSingleIdAttribute()) ? entity.getIdType().getJavaType() : Object.class;
        if (type != long.class && type != Long.class) {
            throw new IllegalArgumentException(
                    ("Could not find the ids of a window: entity='%s' (its identifier must be a long or Long); name "
                            + "the attribute that holds them: IdWindows.within(attribute, window)")
                        .formatted(entity.getName()));
        }
        return root.get(entity.getId(type).getName());
    }

}
