package io.shardedid.spring.json;

import java.io.Serializable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;

import org.springframework.util.ClassUtils;

/**
 * Knows which members of projections hold ids although nothing on them says so, because
 * they are read from attributes of entities that do. It learns of a projection when the
 * repository that returns it is made, or when a method is called with the projection's
 * class: before there is anything to write. Thread-safe. A copy by serialization knows
 * what was known until then.
 *
 * @apiNote This class is no API for applications. It is public because the description of
 * the web interface in OpenAPI asks it as well.
 * @since 0.1
 */
public final class ProjectedIds implements BiFunction<Class<?>, List<Class<?>>, Map<String, Class<?>>>, Serializable {

    private static final long serialVersionUID = 1L;

    /** An application without Spring Data JDBC has no such type. */
    private static final String REFERENCE = "org.springframework.data.jdbc.core.mapping.AggregateReference";

    /** The members of a class, each with the entity whose ids they hold. */
    private final ConcurrentHashMap<Class<?>, Map<String, Class<?>>> members = new ConcurrentHashMap<>();

    ProjectedIds() {
    }

    void add(Class<?> projection, String member, Class<?> entity) {
        this.members.computeIfAbsent(projection, (type) -> new ConcurrentHashMap<>()).put(member, entity);
    }

    /**
     * Returns the members of a class that hold ids: its own, and those of its
     * superclasses and of all interfaces, because Spring Data returns proxies of
     * projections that are interfaces. A reference of Spring Data JDBC holds an id of the
     * aggregate that its first type argument names.
     * @param type a class
     * @param arguments its type arguments
     * @return the names, each with the entity whose ids the member holds or
     * {@code void.class}; an empty map for a class that is no projection
     */
    @Override
    public Map<String, Class<?>> apply(Class<?> type, List<Class<?>> arguments) {
        Map<String, Class<?>> found = new HashMap<>();
        for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
            found.putAll(this.members.getOrDefault(each, Map.of()));
        }
        for (Class<?> each : ClassUtils.getAllInterfacesForClassAsSet(type)) {
            found.putAll(this.members.getOrDefault(each, Map.of()));
            if (each.getName().equals(REFERENCE)) {
                boolean known = !arguments.isEmpty() && arguments.get(0) != Object.class;
                found.put("id", known ? arguments.get(0) : void.class);
            }
        }
        return found;
    }

}
