package io.shardedid.spring.boot;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIds;
import io.shardedid.internal.config.ShardedIdKey;
import io.shardedid.internal.config.EngineOnDemand;
import io.shardedid.internal.config.KeyChange;
import io.shardedid.internal.config.ShardedIdSettings;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.orm.jpa.AbstractEntityManagerFactoryBean;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Puts the engine into the settings of each entity manager factory before it is built,
 * also of one that the application makes by hand and that no
 * {@code HibernatePropertiesCustomizer} ever sees. That the engine is made before the
 * factory is orders their end, too: Spring closes what was made last first.
 *
 * <p>
 * The starter's engine opens while the factory is built, if an entity of it has sharded
 * ids, so no transaction can begin that holds what the lease needs.
 *
 * <p>
 * It is marked as never to be proxied: to find out, Spring would make the application's
 * advisors, and what they need, before all bean post-processors are there.
 */
final class EngineHandover implements BeanPostProcessor, BeanFactoryAware, AopInfrastructureBean {

    /** Known by their names: the class moved between Spring 6 and Spring 7. */
    private static final Set<String> SESSION_FACTORY_BEANS = Set.of(
            "org.springframework.orm.jpa.hibernate.LocalSessionFactoryBean",
            "org.springframework.orm.hibernate5.LocalSessionFactoryBean");

    private final ObjectProvider<ShardedIds> engines;

    private final ObjectProvider<ShardedIdSettings> settings;

    private @Nullable ListableBeanFactory beans;

    EngineHandover(ObjectProvider<ShardedIds> engines, ObjectProvider<ShardedIdSettings> settings) {
        this.engines = engines;
        this.settings = settings;
    }

    /** No parameter of the bean: so early, finding one asks every definition. */
    @Override
    public void setBeanFactory(BeanFactory beans) {
        this.beans = (ListableBeanFactory) beans;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        if (bean instanceof AbstractEntityManagerFactoryBean factory) {
            // a thread of its own must not make beans while this one makes others
            handOver(name, factory.getJpaPropertyMap(), factory.getBootstrapExecutor() == null);
        }
        else if (isSessionFactoryBean(bean.getClass())) {
            Method properties = Objects.requireNonNull(ClassUtils.getMethod(bean.getClass(), "getHibernateProperties"));
            handOver(name, (Map<?, ?>) Objects.requireNonNull(ReflectionUtils.invokeMethod(properties, bean)), false);
        }
        return bean;
    }

    private static boolean isSessionFactoryBean(Class<?> type) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            if (SESSION_FACTORY_BEANS.contains(each.getName())) {
                return true;
            }
        }
        return false;
    }

    @SuppressWarnings("unchecked")
    private void handOver(String factory, Map<?, ?> properties, boolean mayWait) {
        Map<Object, Object> target = (Map<Object, Object>) properties;
        ShardedIdSettings own = this.settings.getIfUnique();
        target.putIfAbsent(ShardedIdSettings.MANAGED, true);
        if (own != null) {
            target.putIfAbsent(ShardedIdKey.ON_KEY_CHANGE.externalName(),
                    own.value(ShardedIdKey.ON_KEY_CHANGE, KeyChange.class));
        }
        if (!target.containsKey(ShardedIdSettings.ENGINE)) {
            Object engine = (mayWait && own != null && engineNames().length == 1)
                    ? new EngineOnDemand(own, this.engines::getObject) : engineFor(factory);
            if (engine != null) {
                target.put(ShardedIdSettings.ENGINE, engine);
            }
        }
    }

    /** No engine is no error here: only a factory with sharded ids needs one. */
    private @Nullable ShardedIds engineFor(String factory) {
        ShardedIds engine = this.engines.getIfUnique();
        String[] names = (engine != null) ? new String[0] : engineNames();
        if (names.length > 1) {
            throw new ShardedIdConfigurationException(
                    ("Could not choose the engine of entity manager factory '%s': there are %s beans of type "
                            + "'ShardedIds' (%s) and none is primary")
                        .formatted(factory, names.length,
                                Arrays.stream(names).map((name) -> "'" + name + "'").collect(Collectors.joining(", "))),
                    "mark one '@Primary', or set the JPA property '%s' of the factory to the one that is meant"
                        .formatted(ShardedIdSettings.ENGINE));
        }
        return engine;
    }

    private String[] engineNames() {
        return Objects.requireNonNull(this.beans).getBeanNamesForType(ShardedIds.class, true, false);
    }

}
