package io.shardedid.routing;

import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.shardedid.hibernate.EntityShards;
import io.shardedid.routing.RepositoryCall.Argument;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.data.domain.Limit;
import org.springframework.data.domain.Pageable;
import org.springframework.data.domain.ScrollPosition;
import org.springframework.data.domain.Sort;
import org.springframework.data.jpa.repository.query.PartTreeJpaQuery;
import org.springframework.data.repository.core.RepositoryInformation;
import org.springframework.data.repository.core.support.QueryCreationListener;
import org.springframework.data.repository.core.support.RepositoryFactoryBeanSupport;
import org.springframework.data.repository.query.DefaultParameters;
import org.springframework.data.repository.query.Parameters;
import org.springframework.data.repository.query.ParametersSource;
import org.springframework.data.repository.query.RepositoryQuery;
import org.springframework.data.repository.query.parser.Part;
import org.springframework.data.repository.query.parser.PartTree;
import org.springframework.util.ClassUtils;

/**
 * Reads the shard off the arguments of repository methods, before their transaction
 * begins: off ids, off the shard key of derived queries, and off marked parameters. A
 * method with ids or rows of several databases is called once for each database.
 */
final class RepositoryRouting implements BeanPostProcessor, AopInfrastructureBean {

    private static final Set<String> BY_ID = Set.of("findById", "existsById", "deleteById", "getReferenceById");

    private static final Set<String> BY_IDS = Set.of("findAllById", "deleteAllById", "deleteAllByIdInBatch");

    private static final Set<String> BY_ROWS = Set.of("saveAll", "saveAllAndFlush", "deleteAll", "deleteAllInBatch");

    /** Parameters that order or limit the rows. */
    private static final Set<Class<?>> ORDERS = Set.of(Sort.class, Limit.class, Pageable.class, ScrollPosition.class);

    private static final Set<Class<?>> SUMS = Set.of(Long.class, Integer.class, Boolean.class, void.class);

    private final ObjectProvider<ShardBindings> bindings;

    private final ObjectProvider<RoutedSessionFactories> factories;

    RepositoryRouting(ObjectProvider<ShardBindings> bindings, ObjectProvider<RoutedSessionFactories> factories) {
        this.bindings = bindings;
        this.factories = factories;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        if (bean instanceof RepositoryFactoryBeanSupport<?, ?, ?> repository) {
            repository.addRepositoryFactoryCustomizer((factory) -> {
                OwnQueries queries = new OwnQueries();
                factory.addQueryCreationListener(queries);
                factory.addRepositoryProxyPostProcessor(
                        (proxy, information) -> proxy.addAdvice(0, new Advice(information, queries)));
            });
        }
        return bean;
    }

    /**
     * The methods of one repository whose names say nothing of their query, because it is
     * annotated, named or a procedure.
     */
    private static final class OwnQueries implements QueryCreationListener<RepositoryQuery> {

        private final Set<String> names = ConcurrentHashMap.newKeySet();

        @Override
        public void onCreation(RepositoryQuery query) {
            if (!(query instanceof PartTreeJpaQuery)) {
                this.names.add(query.getQueryMethod().getName());
            }
        }

        boolean contain(Method method) {
            return this.names.contains(method.getName());
        }

    }

    /** The advice around one repository. */
    private final class Advice implements MethodInterceptor {

        private final RepositoryInformation repository;

        private final OwnQueries queries;

        private final Map<Method, RepositoryCall> calls = new ConcurrentHashMap<>();

        private final ShardBindings bindings = RepositoryRouting.this.bindings.getObject();

        Advice(RepositoryInformation repository, OwnQueries queries) {
            this.repository = repository;
            this.queries = queries;
        }

        @Override
        public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
            Method method = invocation.getMethod();
            if (method.getDeclaringClass() == Object.class) {
                return invocation.proceed();
            }
            RepositoryCall known = this.calls.get(method);
            RepositoryCall call = (known != null) ? known : this.calls.computeIfAbsent(method, this::call);
            Object before = this.bindings.enterCall(call.name());
            try {
                return call.invoke(invocation, this.bindings);
            }
            catch (RuntimeException ex) {
                throw this.bindings.failure(ex);
            }
            finally {
                this.bindings.enterCall(before);
            }
        }

        private RepositoryCall call(Method method) {
            Class<?> domain = this.repository.getDomainType();
            String call = this.repository.getRepositoryInterface().getSimpleName() + "." + method.getName()
                    + ((method.getParameterCount() > 0) ? "(…)" : "()");
            EntityShards entities = RepositoryRouting.this.factories.getObject().of(domain);
            if (entities == null || !entities.sharded(domain.getName())) {
                return new RepositoryCall(call, Argument.NONE, 0, entities, domain);
            }
            Parameter[] parameters = method.getParameters();
            for (int i = 0; i < parameters.length; i++) {
                if (parameters[i].isAnnotationPresent(ShardKey.class)) {
                    // nothing is known of the query, so its results are not put together
                    return isCollection(parameters[i].getType())
                            ? new RepositoryCall(call, Argument.KEYS, i, entities, domain,
                                    RepositoryCall.Kind.QUERY_OF_ONE)
                            : new RepositoryCall(call, Argument.KEY, i, entities, domain);
                }
                if (parameters[i].isAnnotationPresent(ShardOf.class)) {
                    return new RepositoryCall(call, Argument.ID_OR_ROW, i, entities, domain);
                }
            }
            if (this.repository.isQueryMethod(method)) {
                return this.queries.contain(method) ? new RepositoryCall(call, Argument.NONE, 0, entities, domain)
                        : derived(call, method, entities, domain);
            }
            return new RepositoryCall(call, crud(method, domain), 0, entities, domain);
        }

        private Argument crud(Method method, Class<?> domain) {
            if (method.getParameterCount() != 1 || this.repository.isCustomMethod(method)) {
                return Argument.NONE;
            }
            String name = method.getName();
            if (BY_ID.contains(name)) {
                return Argument.ID;
            }
            boolean several = Iterable.class.isAssignableFrom(method.getParameterTypes()[0]);
            return (several && BY_IDS.contains(name)) ? Argument.IDS
                    : (several && BY_ROWS.contains(name)) ? Argument.ROWS : Argument.NONE;
        }

        private RepositoryCall derived(String call, Method method, EntityShards entities, Class<?> domain) {
            RepositoryCall none = new RepositoryCall(call, Argument.NONE, 0, entities, domain);
            PartTree tree = new PartTree(method.getName(), domain);
            List<PartTree.OrPart> alternatives = tree.stream().toList();
            if (alternatives.size() != 1) {
                return none;
            }
            Parameters<?, ?> parameters = new DefaultParameters(ParametersSource.of(this.repository, method))
                .getBindableParameters();
            String key = entities.keyPath(domain.getName());
            RepositoryCall.Kind kind = canBePutTogether(tree, method) ? RepositoryCall.Kind.QUERY
                    : RepositoryCall.Kind.QUERY_OF_ONE;
            RepositoryCall found = none;
            int next = 0;
            for (Part part : alternatives.get(0)) {
                String path = part.getProperty().toDotPath();
                if (isComparison(part) && next < parameters.getNumberOfParameters()) {
                    int index = parameters.getParameter(next).getIndex();
                    boolean several = part.getType() == Part.Type.IN;
                    if (several && !isCollection(method.getParameterTypes()[index])) {
                        return none;
                    }
                    if (path.equals(entities.idProperty(domain.getName()))) {
                        return new RepositoryCall(call, several ? Argument.IDS : Argument.ID, index, entities, domain,
                                kind);
                    }
                    if (key != null && withoutId(path).equals(withoutId(key))) {
                        found = new RepositoryCall(call, several ? Argument.KEYS : Argument.KEY, index, entities,
                                domain, kind);
                    }
                }
                next += part.getNumberOfArguments();
            }
            return found;
        }

        /**
         * Returns whether a part compares with one value or some. Texts that differ in
         * case only are in different shards.
         */
        private static boolean isComparison(Part part) {
            return (part.getType() == Part.Type.SIMPLE_PROPERTY || part.getType() == Part.Type.IN)
                    && (part.shouldIgnoreCase() == Part.IgnoreCaseType.NEVER
                            || part.getProperty().getType() != String.class);
        }

        private static boolean isCollection(Class<?> type) {
            return Iterable.class.isAssignableFrom(type)
                    && (type.isAssignableFrom(ArrayList.class) || type.isAssignableFrom(LinkedHashSet.class));
        }

        private static boolean canBePutTogether(PartTree tree, Method method) {
            Class<?> result = method.getReturnType();
            boolean sum = tree.isCountProjection() || tree.isExistsProjection() || tree.isDelete();
            boolean ordered = tree.isLimiting() || tree.getSort().isSorted() || (tree.isDistinct() && !sum)
                    || Stream.of(method.getParameterTypes()).anyMatch(ORDERS::contains);
            return !ordered
                    && (isCollection(result) || (sum && SUMS.contains(ClassUtils.resolvePrimitiveIfNecessary(result))));
        }

        private String withoutId(String path) {
            return path.endsWith(".id") ? path.substring(0, path.length() - 3) : path;
        }

    }

}
