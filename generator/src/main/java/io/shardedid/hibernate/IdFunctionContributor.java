package io.shardedid.hibernate;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

import io.shardedid.IdLayout;
import io.shardedid.hibernate.key.MappedIdForm;
import io.shardedid.key.UuidForm;
import jakarta.persistence.criteria.From;
import jakarta.persistence.criteria.Path;
import jakarta.persistence.metamodel.ManagedType;
import jakarta.persistence.metamodel.SingularAttribute;

import org.hibernate.boot.model.FunctionContributions;
import org.hibernate.boot.model.FunctionContributor;
import org.hibernate.query.sqm.function.SqmFunctionDescriptor;
import org.hibernate.query.sqm.produce.function.FunctionParameterType;
import org.hibernate.query.sqm.produce.function.PatternFunctionDescriptorBuilder;
import org.hibernate.query.sqm.tree.SqmTypedNode;
import org.hibernate.query.sqm.tree.domain.SqmPath;
import org.hibernate.service.ServiceRegistry;
import org.hibernate.type.descriptor.java.JavaType;
import org.jspecify.annotations.Nullable;

/**
 * Makes {@code shard_of(id)} and {@code id_instant(id)} known to HQL and Criteria, by the
 * layout of the persistence unit. Hibernate finds this class by
 * {@code META-INF/services}.
 */
public final class IdFunctionContributor implements FunctionContributor {

    /** The name of the function that returns the shard of an id, an {@code Integer}. */
    public static final String SHARD_OF = "shard_of";

    /** The name of the function that returns the time of an id, an {@code Instant}. */
    public static final String ID_INSTANT = "id_instant";

    /** Called by Hibernate. */
    public IdFunctionContributor() {
    }

    @Override
    public void contributeFunctions(FunctionContributions contributions) {
        Optional<IdSql> sql = IdSql.of(contributions.getDialect());
        // absent where Hibernate asks what a dialect can do, and builds no unit
        ServiceRegistry services = contributions.getServiceRegistry();
        // a unit whose settings give no layout has no sharded ids, or is not built
        Optional<IdLayout> layout = (services != null)
                ? services.requireService(ShardedIdService.class).layoutIfReadable() : Optional.empty();
        if (sql.isPresent() && layout.isPresent()) {
            register(contributions, SHARD_OF, sql.get().shardOf(layout.get()), sql.get().shardOfUuid(), Integer.class);
            register(contributions, ID_INSTANT, sql.get().instantOf(layout.get()), sql.get().instantOfUuid(),
                    Instant.class);
        }
    }

    private static void register(FunctionContributions contributions, String name, String sql, String sqlOfUuid,
            Class<?> result) {
        SqmFunctionDescriptor ofNumber = pattern(contributions, name, sql, result)
            .setParameterTypes(FunctionParameterType.INTEGER)
            .descriptor();
        SqmFunctionDescriptor ofUuid = pattern(contributions, name, sqlOfUuid, result).descriptor();
        contributions.getFunctionRegistry()
            .register(name, (SqmFunctionDescriptor) Proxy.newProxyInstance(IdFunctionContributor.class.getClassLoader(),
                    new Class<?>[] { SqmFunctionDescriptor.class }, new ByArgument(ofNumber, ofUuid)));
    }

    private static PatternFunctionDescriptorBuilder pattern(FunctionContributions contributions, String name,
            String sql, Class<?> result) {
        return contributions.getFunctionRegistry()
            .patternDescriptorBuilder(name, sql)
            .setExactArgumentCount(1)
            .setInvariantType(contributions.getTypeConfiguration().getBasicTypeForJavaType(result))
            .setArgumentListSignature("(INTEGER or UUID id)");
    }

    /**
     * Chooses the function by the type of its argument. It is a proxy, because the types
     * in the methods of a function differ between Hibernate 6.6 and 7, so that no class
     * could implement them for both.
     *
     * @param ofNumber the function of an id of 64 bits, or of an argument whose type is
     * not known
     * @param ofUuid the function of a UUID
     */
    private record ByArgument(SqmFunctionDescriptor ofNumber,
            SqmFunctionDescriptor ofUuid) implements InvocationHandler {

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
            if (method.getDeclaringClass() == Object.class) {
                return switch (method.getName()) {
                    case "equals" -> arguments != null && proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    default -> toString();
                };
            }
            try {
                return method.invoke(isUuid(arguments) ? this.ofUuid : this.ofNumber, arguments);
            }
            catch (InvocationTargetException ex) {
                throw ex.getCause();
            }
        }

        private static boolean isUuid(Object @Nullable [] arguments) {
            if (arguments == null || arguments.length == 0) {
                return false;
            }
            Object first = (arguments[0] instanceof List<?> several && !several.isEmpty()) ? several.get(0)
                    : arguments[0];
            JavaType<?> type = (first instanceof SqmTypedNode<?> node) ? node.getNodeJavaType() : null;
            return type != null && (type.getJavaTypeClass() == UUID.class
                    || first instanceof SqmPath<?> path && isUuid(path, type.getJavaTypeClass()));
        }

        /**
         * Returns whether an attribute in a type of the application stands for a UUID, by
         * the metamodel of JPA, which is the same in all lines of Hibernate.
         */
        private static boolean isUuid(SqmPath<?> path, Class<?> type) {
            SqmPath<?> parent = path.getLhs();
            if (parent == null) {
                return false;
            }
            // a root that is a subquery has no model, and refuses to be asked for it
            Object model = (parent instanceof From<?, ?>) ? parent.getReferencedPathSource()
                    : ((Path<?>) parent).getModel();
            Object owner = (model instanceof SingularAttribute<?, ?> attribute) ? attribute.getType() : model;
            return owner instanceof ManagedType<?> managed && managed.getSingularAttributes()
                .stream()
                .filter((attribute) -> attribute.getName().equals(path.getReferencedPathSource().getPathName()))
                .anyMatch((attribute) -> MappedIdForm.of(type, attribute.getType()) instanceof UuidForm);
        }

    }

}
