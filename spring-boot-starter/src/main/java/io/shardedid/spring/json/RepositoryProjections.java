package io.shardedid.spring.json;

import java.beans.PropertyDescriptor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.jackson.IdTexts;
import io.shardedid.jackson.JsonIds;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.ResolvableType;
import org.springframework.data.projection.ProjectionFactory;
import org.springframework.data.projection.SpelAwareProxyProjectionFactory;
import org.springframework.data.repository.core.RepositoryInformation;
import org.springframework.data.repository.core.support.RepositoryFactoryBeanSupport;
import org.springframework.data.repository.query.ReturnedType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Passes on to {@link ProjectedIds} which members of the projections of a repository are
 * read from ids. It looks at each repository when its proxy is made, and at calls of
 * methods that take the class of the projection.
 *
 * <p>
 * A member is found by its name, as Spring Data itself finds it: {@code getAuthorId} is
 * {@code author.id}. What is computed by SpEL, or has another name than its attribute,
 * cannot be found.
 *
 * <p>
 * Classes are left to their own annotations, whatever fills them. Only where the ids have
 * another form than the plain number, the members of a class that a repository returns
 * have it, too.
 *
 * <p>
 * The bean is marked as never to be proxied, because Spring would otherwise make the
 * application's advisors before all bean post-processors are there.
 */
final class RepositoryProjections implements BeanPostProcessor, AopInfrastructureBean {

    /** Asked late: what a bean post-processor needs is made before all of them. */
    private final ObjectProvider<ProjectedIds> ids;

    private final ProjectionFactory projections = new SpelAwareProxyProjectionFactory();

    private final Set<Projection> seen = ConcurrentHashMap.newKeySet();

    private final ObjectProvider<IdTexts> formats;

    private final Set<Class<?>> domains = ConcurrentHashMap.newKeySet();

    /** The projections of an entity that Spring Data REST exports. */
    private volatile Function<Class<?>, Collection<Class<?>>> exported = (domain) -> List.of();

    RepositoryProjections(ObjectProvider<ProjectedIds> ids, ObjectProvider<IdTexts> formats) {
        this.ids = ids;
        this.formats = formats;
    }

    /** Also looks at projections that Spring Data REST exports. */
    void lookAtExported(Function<Class<?>, Collection<Class<?>>> projections) {
        this.exported = projections;
        this.domains.forEach(this::lookAtExported);
    }

    private void lookAtExported(Class<?> domain) {
        this.exported.apply(domain).forEach((type) -> lookAt(new Projection(type, domain)));
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        if (bean instanceof RepositoryFactoryBeanSupport<?, ?, ?> repository) {
            repository
                .addRepositoryFactoryCustomizer((factory) -> factory.addRepositoryProxyPostProcessor(this::lookAt));
        }
        return bean;
    }

    private void lookAt(ProxyFactory proxy, RepositoryInformation repository) {
        Class<?> domain = repository.getDomainType();
        this.domains.add(domain);
        lookAtExported(domain);
        Map<Method, Integer> dynamic = new HashMap<>();
        for (Method method : repository.getRepositoryInterface().getMethods()) {
            if (Modifier.isStatic(method.getModifiers()) || repository.isBaseClassMethod(method)) {
                continue;
            }
            int parameter = projectionParameter(method);
            if (parameter >= 0) {
                dynamic.put(method, parameter);
            }
            else {
                lookAt(new Projection(repository.getReturnedDomainClass(method), domain));
            }
        }
        if (!dynamic.isEmpty()) {
            proxy.addAdvice((MethodInterceptor) (call) -> {
                Integer parameter = dynamic.get(call.getMethod());
                if (parameter != null && call.getArguments()[parameter] instanceof Class<?> type) {
                    lookAt(new Projection(type, domain));
                }
                return call.proceed();
            });
        }
    }

    /** Returns the position of a {@code Class<T>} of a method's own {@code T}, or -1. */
    private static int projectionParameter(Method method) {
        Type[] parameters = method.getGenericParameterTypes();
        for (int i = 0; i < parameters.length; i++) {
            if (parameters[i] instanceof ParameterizedType type && type.getRawType() == Class.class
                    && type.getActualTypeArguments()[0] instanceof TypeVariable<?> variable
                    && variable.getGenericDeclaration().equals(method)) {
                return i;
            }
        }
        return -1;
    }

    private void lookAt(Projection projection) {
        Class<?> type = projection.type;
        if (ClassUtils.isPrimitiveOrWrapper(type) || type.isArray() || type.isEnum()
                || type.getName().startsWith("java.") || type.isAssignableFrom(projection.domain) || isEntity(type)
                || !this.seen.add(projection)) {
            return;
        }
        if (type.isInterface()) {
            for (PropertyDescriptor member : this.projections.getProjectionInformation(type).getInputProperties()) {
                lookAt(projection, member.getName(), elementOf(member));
            }
        }
        else {
            // only interfaces can be nested
            ReturnedType.of(type, projection.domain, this.projections)
                .getInputProperties()
                .forEach((member) -> lookAt(projection, member, null));
        }
    }

    private void lookAt(Projection projection, String member, @Nullable Class<?> element) {
        Attribute attribute = Attribute.find(member, ResolvableType.forClass(projection.domain));
        if (attribute == null) {
            return;
        }
        if (element != null && element.isInterface()) {
            // also where the association is a shard key
            lookAt(new Projection(element, attribute.type.toClass()));
        }
        else if (JsonIds.isId(attribute.owner, attribute.name)) {
            Class<?> entity = JsonIds.entityOf(attribute.owner, attribute.name);
            if (projection.type.isInterface() || !isNumber(entity)) {
                this.ids.getObject().add(projection.type, member, entity);
            }
        }
    }

    /** Returns whether the form of the ids of an entity is the plain number. */
    private boolean isNumber(Class<?> entity) {
        IdTexts formats = this.formats.getIfAvailable(IdTexts::unconfigured);
        try {
            return ((entity != void.class) ? formats.forEntity(entity) : formats.withoutEntity()).plain();
        }
        catch (ShardedIdConfigurationException ex) {
            // Jackson refuses the class with the same reason
            return false;
        }
    }

    private static Class<?> elementOf(PropertyDescriptor member) {
        return elementOf(ResolvableType.forMethodReturnType(Objects.requireNonNull(member.getReadMethod()))).toClass();
    }

    /** Returns a type, or that of its elements or its optional value. */
    private static ResolvableType elementOf(ResolvableType type) {
        ResolvableType element = (type.toClass() == Optional.class) ? type.getGeneric(0)
                : type.as(Iterable.class).getGeneric(0);
        return (element != ResolvableType.NONE) ? element : type;
    }

    /** An application of Spring Data JDBC alone has no such annotation. */
    private static boolean isEntity(Class<?> type) {
        return Arrays.stream(type.getAnnotations())
            .anyMatch((mark) -> mark.annotationType().getName().equals("jakarta.persistence.Entity"));
    }

    /**
     * An attribute that the name of a member leads to: the longest beginning that names
     * an attribute is taken, and what follows is looked for in its type. Spring Data's
     * own class for it moved between its versions 3 and 4.
     *
     * @param owner the class that was asked for the attribute
     * @param name the name of the attribute there
     * @param type its type, or that of its elements
     */
    private record Attribute(Class<?> owner, String name, ResolvableType type) {

        static @Nullable Attribute find(String member, ResolvableType domain) {
            for (int end = member.length(); end > 0; end = lastCapital(member, end)) {
                String name = member.substring(0, end);
                ResolvableType type = typeOf(name, domain);
                if (type != null) {
                    return (end == member.length()) ? new Attribute(domain.toClass(), name, type)
                            : find(StringUtils.uncapitalize(member.substring(end)), type);
                }
            }
            return null;
        }

        /** Returns the position of the last capital letter before an end, or 0. */
        private static int lastCapital(String member, int end) {
            int position = end - 1;
            while (position > 0 && !Character.isUpperCase(member.charAt(position))) {
                position--;
            }
            return position;
        }

        private static @Nullable ResolvableType typeOf(String name, ResolvableType domain) {
            Field field = ReflectionUtils.findField(domain.toClass(), name);
            if (field != null) {
                return elementOf(ResolvableType.forField(field, domain));
            }
            PropertyDescriptor property = BeanUtils.getPropertyDescriptor(domain.toClass(), name);
            return (property != null && property.getReadMethod() != null)
                    ? elementOf(ResolvableType.forMethodReturnType(property.getReadMethod(), domain.toClass())) : null;
        }

    }

    /**
     * A type that a query returns in place of an entity.
     *
     * @param type the projection
     * @param domain the entity
     */
    private record Projection(Class<?> type, Class<?> domain) {
    }

}
