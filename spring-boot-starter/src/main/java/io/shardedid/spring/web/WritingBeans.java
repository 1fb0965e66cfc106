package io.shardedid.spring.web;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.SingletonBeanRegistry;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the beans of an application that write objects as JSON: mappers, and what
 * messaging and caches write by. Another library is another line.
 */
final class WritingBeans {

    private static final List<Kind> KINDS = List.of(
            new Kind("tools.jackson.databind.ObjectMapper", "writeValueAsBytes"),
            new Kind("com.fasterxml.jackson.databind.ObjectMapper", "writeValueAsBytes"),
            new Kind("org.springframework.messaging.converter.MessageConverter", "toMessage"),
            new Kind("org.springframework.data.redis.serializer.RedisSerializer", "serialize"),
            new Kind("org.apache.kafka.common.serialization.Serializer", "serialize"),
            new Kind("org.springframework.amqp.support.converter.MessageConverter", "toMessage"));

    private WritingBeans() {
    }

    static Stream<WritingBean> in(ListableBeanFactory beans) {
        return KINDS.stream().flatMap((kind) -> kind.in(beans));
    }

    /**
     * A bean that writes objects.
     *
     * @param name its name
     * @param type its class
     * @param writer writes by it
     */
    record WritingBean(String name, Class<?> type, IdProbe.Writer writer) {
    }

    /**
     * What a library writes by.
     *
     * @param type the name of a class or an interface
     * @param method a method that takes an object and returns bytes, a text, or a message
     * with one of them
     */
    private record Kind(String type, String method) {

        Stream<WritingBean> in(ListableBeanFactory beans) {
            ClassLoader loader = WritingBeans.class.getClassLoader();
            if (!ClassUtils.isPresent(this.type, loader)) {
                return Stream.empty();
            }
            Class<?> known = ClassUtils.resolveClassName(this.type, loader);
            Method writing = Arrays.stream(known.getMethods())
                .filter((each) -> each.getName().equals(this.method)
                        && Arrays.asList(each.getParameterTypes()).contains(Object.class))
                .min((one, other) -> one.getParameterCount() - other.getParameterCount())
                .orElse(null);
            // no bean is made for this, and none of a request
            return (writing == null || !(beans instanceof SingletonBeanRegistry made)) ? Stream.empty()
                    : Arrays.stream(beans.getBeanNamesForType(known, false, false))
                        .filter(made::containsSingleton)
                        .map((name) -> {
                            Object bean = beans.getBean(name);
                            return new WritingBean(name, bean.getClass(), (object) -> write(writing, bean, object));
                        });
        }

        private static byte[] write(Method writing, Object bean, Object object) throws Exception {
            Object[] arguments = Arrays.stream(writing.getParameterTypes())
                .map((parameter) -> (parameter == Object.class) ? object : argument(parameter))
                .toArray();
            try {
                return bytes(writing.invoke(bean, arguments));
            }
            catch (InvocationTargetException ex) {
                throw new IllegalStateException(ex.getCause());
            }
        }

        private static @Nullable Object argument(Class<?> type) {
            return (type == String.class) ? ""
                    : (ClassUtils.getConstructorIfAvailable(type) != null) ? BeanUtils.instantiateClass(type) : null;
        }

        private static byte[] bytes(@Nullable Object written) {
            if (written instanceof byte[] bytes) {
                return bytes;
            }
            if (written instanceof String text) {
                return text.getBytes(StandardCharsets.UTF_8);
            }
            if (written == null) {
                return new byte[0];
            }
            Method body = Stream.of("getPayload", "getBody")
                .map((name) -> ReflectionUtils.findMethod(written.getClass(), name))
                .filter((method) -> method != null)
                .findFirst()
                .orElseThrow();
            return bytes(ReflectionUtils.invokeMethod(body, written));
        }

    }

}
