package io.shardedid.routing;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.shardedid.shards.ShardUnknownException;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.ComposablePointcut;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * Opens the scope that {@link InShardOf} or {@link InShardFor} says around a method of a
 * bean, before the transaction of the method begins.
 */
@SuppressWarnings("serial") // every advisor is Serializable, none is serialized
final class ScopeAdvisor extends DefaultPointcutAdvisor {

    private static final long serialVersionUID = 1L;

    private static final DefaultParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    ScopeAdvisor(Supplier<ShardBindings> bindings, Supplier<ScopedShards> shards) {
        super(new ComposablePointcut(AnnotationMatchingPointcut.forMethodAnnotation(InShardOf.class))
            .union((Pointcut) AnnotationMatchingPointcut.forMethodAnnotation(InShardFor.class)),
                new Interceptor(bindings, shards));
        // transactions come last
        setOrder(Ordered.LOWEST_PRECEDENCE - 1);
    }

    /**
     * The advice.
     *
     * @param bindings the bindings
     * @param shards finds the shard
     * @param methods what is known of the methods
     */
    private record Interceptor(Supplier<ShardBindings> bindings, Supplier<ScopedShards> shards,
            Map<Method, Scoped> methods) implements MethodInterceptor {

        Interceptor(Supplier<ShardBindings> bindings, Supplier<ScopedShards> shards) {
            this(bindings, shards, new ConcurrentHashMap<>());
        }

        @Override
        public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
            Object target = invocation.getThis();
            Method method = (target != null)
                    ? AopUtils.getMostSpecificMethod(invocation.getMethod(), AopUtils.getTargetClass(target))
                    : invocation.getMethod();
            Scoped scoped = this.methods.computeIfAbsent(method, Scoped::of);
            Object value = scoped.expression
                .getValue(new MethodBasedEvaluationContext(invocation, method, invocation.getArguments(), NAMES));
            if (value == null) {
                throw new ShardUnknownException(
                        "Could not choose a database: expression '%s' is null: call=%s; give the method a value"
                            .formatted(scoped.expression.getExpressionString(), scoped.call));
            }
            int shard = scoped.byId ? this.shards.get().shardOfId(((Number) value).longValue())
                    : this.shards.get().shardOfKey(value, scoped.call);
            ShardBindings known = this.bindings.get();
            ShardBindings.Scope scope = known.open(shard, scoped.call, scoped.apart);
            try {
                return invocation.proceed();
            }
            catch (RuntimeException ex) {
                throw known.failure(ex);
            }
            finally {
                scope.close();
            }
        }

    }

    /**
     * A method with an annotation.
     *
     * @param call what messages call it
     * @param expression leads from the arguments to the id or the key
     * @param byId whether it leads to an id
     * @param apart whether the transaction of the method suspends the present one
     */
    private record Scoped(String call, Expression expression, boolean byId, boolean apart) {

        static Scoped of(Method method) {
            InShardOf of = AnnotatedElementUtils.findMergedAnnotation(method, InShardOf.class);
            InShardFor forKey = AnnotatedElementUtils.findMergedAnnotation(method, InShardFor.class);
            String text = (of != null) ? of.value() : (forKey != null) ? forKey.value() : "";
            Transactional own = AnnotatedElementUtils.findMergedAnnotation(method, Transactional.class);
            Transactional ofType = AnnotatedElementUtils.findMergedAnnotation(method.getDeclaringClass(),
                    Transactional.class);
            Transactional transactional = (own != null) ? own : ofType;
            return new Scoped(method.getDeclaringClass().getSimpleName() + "." + method.getName() + "(…)",
                    new SpelExpressionParser().parseExpression(text), of != null,
                    transactional != null && transactional.propagation() == Propagation.REQUIRES_NEW);
        }

    }

}
