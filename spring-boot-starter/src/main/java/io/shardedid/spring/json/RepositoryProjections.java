package io.shardedid.spring.json;

import java.beans.PropertyDescriptor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.shardedid.jackson.JsonIds;
import jakarta.persistence.Entity;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.ResolvableType;
import org.springframework.data.core.PropertyPath;
import org.springframework.data.core.PropertyReferenceException;
import org.springframework.data.projection.ProjectionFactory;
import org.springframework.data.projection.SpelAwareProxyProjectionFactory;
import org.springframework.data.repository.core.RepositoryInformation;
import org.springframework.data.repository.core.support.RepositoryFactoryBeanSupport;
import org.springframework.data.repository.query.ReturnedType;
import org.springframework.util.ClassUtils;

/**
 * Tells {@link ProjectedIds} which members of the projections of a repository are read
 * from ids. It looks at each repository when its proxy is made, and at calls of methods
 * that take the class of the projection.
 *
 * <p>
 * A member is found by its name, as Spring Data itself finds it: {@code getAuthorId} is
 * {@code author.id}. What is computed by SpEL, or has another name than its attribute,
 * cannot be found.
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

    RepositoryProjections(ObjectProvider<ProjectedIds> ids) {
        this.ids = ids;
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
                || type.getName().startsWith("java.") || type.isAssignableFrom(projection.domain)
                || type.isAnnotationPresent(Entity.class) || !this.seen.add(projection)) {
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
        PropertyPath attribute = attribute(member, projection.domain);
        if (attribute == null) {
            return;
        }
        if (element != null && element.isInterface()) {
            // also where the association is a shard key
            lookAt(new Projection(element, attribute.getType()));
        }
        else if (JsonIds.isId(attribute.getOwningType().getType(), attribute.getSegment())) {
            this.ids.getObject().add(projection.type, member);
        }
    }

    private static @Nullable PropertyPath attribute(String member, Class<?> domain) {
        try {
            return PropertyPath.from(member, domain).getLeafProperty();
        }
        catch (PropertyReferenceException | IllegalArgumentException ex) {
            return null;
        }
    }

    /** Returns the type of a member, or that of its elements or its optional value. */
    private static Class<?> elementOf(PropertyDescriptor member) {
        ResolvableType type = ResolvableType.forMethodReturnType(Objects.requireNonNull(member.getReadMethod()));
        ResolvableType element = (type.toClass() == Optional.class) ? type.getGeneric(0)
                : type.as(Iterable.class).getGeneric(0);
        return (element != ResolvableType.NONE) ? element.toClass() : type.toClass();
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
