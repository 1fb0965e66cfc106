package io.shardedid.database;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.EnumSet;

import org.hibernate.dialect.Dialect;
import org.hibernate.generator.EventType;
import org.hibernate.generator.Generator;
import org.hibernate.generator.OnExecutionGenerator;
import org.hibernate.mapping.Property;
import org.jspecify.annotations.Nullable;

/**
 * Lets an insert leave the identifier out and reads it back from the row, where a trigger
 * has filled it in. Immutable and thread-safe.
 *
 * @implNote a class apart from {@link io.shardedid.hibernate.ShardedIdValueGenerator}:
 * from Hibernate 7.4 on, a part of a composite id must not even have this interface
 */
final class TriggerIdGenerator implements OnExecutionGenerator {

    private static final long serialVersionUID = 1L;

    /**
     * Puts this generator into the place of the one that the annotation names, which
     * cannot choose.
     */
    static void replaceGeneratorOf(Property id) {
        // Hibernate 6.6 and 7 have different names for the type of the parameter
        Method setter = Arrays.stream(id.getValue().getClass().getMethods())
            .filter((method) -> method.getName().equals("setCustomIdGeneratorCreator"))
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("Hibernate must let identifiers have a generator"));
        Class<?> creator = setter.getParameterTypes()[0];
        try {
            setter.invoke(id.getValue(),
                    Proxy.newProxyInstance(creator.getClassLoader(), new Class<?>[] { creator }, creating()));
        }
        catch (IllegalAccessException | InvocationTargetException ex) {
            throw new IllegalStateException("Could not set the generator of '%s'".formatted(id.getName()), ex);
        }
    }

    private static InvocationHandler creating() {
        return (proxy, method, arguments) -> {
            if (Generator.class.isAssignableFrom(method.getReturnType())) {
                return new TriggerIdGenerator();
            }
            return switch (method.getName()) {
                case "equals" -> proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                case "toString" -> TriggerIdGenerator.class.getName();
                default -> InvocationHandler.invokeDefault(proxy, method, arguments);
            };
        };
    }

    @Override
    public EnumSet<EventType> getEventTypes() {
        return EnumSet.of(EventType.INSERT);
    }

    @Override
    public boolean referenceColumnsInSql(Dialect dialect) {
        return false;
    }

    @Override
    public boolean writePropertyValue() {
        return false;
    }

    @Override
    public String @Nullable [] getReferencedColumnValues(Dialect dialect) {
        return null;
    }

}
