package io.shardedid.spring.web;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.jackson.IdText;
import io.shardedid.jackson.IdTexts;
import io.shardedid.jackson.JsonIds;
import io.shardedid.jackson.JsonIds.NoIdException;
import io.shardedid.jackson.JsonShardedId;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.convert.ConversionFailedException;
import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.bind.support.ConfigurableWebBindingInitializer;
import org.springframework.web.bind.support.WebBindingInitializer;
import org.springframework.web.method.HandlerMethod;

/**
 * Sees to the parameters of controllers that hold ids, before the first request. It
 * refuses those whose ids have no form or are not read in it, and it keeps Spring from
 * reading a text as a number after the formatter has refused it: Spring's data binder
 * falls back on property editors, and the plain number would then open what is sealed.
 */
final class IdParameters implements SmartInitializingSingleton {

    private final Supplier<Stream<HandlerMethod>> handlers;

    private final Supplier<Stream<@Nullable WebBindingInitializer>> bindings;

    private final IdTexts formats;

    /**
     * Takes what Spring MVC or Spring WebFlux has made.
     * @param handlers the methods of all controllers
     * @param bindings what binds their parameters
     */
    IdParameters(Supplier<Stream<HandlerMethod>> handlers, Supplier<Stream<@Nullable WebBindingInitializer>> bindings,
            IdTexts formats) {
        this.handlers = handlers;
        this.bindings = bindings;
        this.formats = formats;
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<HandlerMethod> all = this.handlers.get().toList();
        all.forEach(this::check);
        if (!this.formats.plain() || all.stream().anyMatch(IdParameters::takesIds)) {
            this.bindings.get().forEach(IdParameters::refuseForGood);
        }
    }

    /**
     * Returns whether a formatter of ids can be asked for a parameter. Where none can,
     * Spring's own conversion stays as it is.
     */
    private static boolean takesIds(HandlerMethod handler) {
        Set<Class<?>> seen = new HashSet<>();
        return Arrays.stream(handler.getMethodParameters())
            .anyMatch((parameter) -> parameter.hasParameterAnnotation(JsonShardedId.class)
                    || (isForm(parameter) && holdsIds(ResolvableType.forMethodParameter(parameter), seen)));
    }

    private static boolean holdsIds(ResolvableType type, Set<Class<?>> seen) {
        if (Stream.of(type.getGenerics()).anyMatch((inner) -> holdsIds(inner, seen))) {
            return true;
        }
        Class<?> raw = type.toClass();
        if (type.isArray()) {
            return holdsIds(type.getComponentType(), seen);
        }
        if (raw.isPrimitive() || raw.isEnum() || raw.getName().startsWith("java.") || !seen.add(raw)) {
            return false;
        }
        return Stream.<Class<?>>iterate(raw, (c) -> c != null && c != Object.class, Class::getSuperclass)
            .anyMatch((c) -> members(c).anyMatch((member) -> member.isAnnotationPresent(JsonShardedId.class))
                    || Arrays.stream(c.getDeclaredFields())
                        .filter((field) -> !Modifier.isStatic(field.getModifiers()))
                        .anyMatch((field) -> holdsIds(ResolvableType.forField(field, type), seen)));
    }

    private static Stream<AnnotatedElement> members(Class<?> type) {
        return Stream
            .of(type.getDeclaredFields(), type.getDeclaredMethods(),
                    Arrays.stream(type.getDeclaredConstructors())
                        .flatMap((constructor) -> Arrays.stream(constructor.getParameters()))
                        .toArray(AnnotatedElement[]::new))
            .flatMap(Arrays::stream);
    }

    private void check(HandlerMethod handler) {
        for (MethodParameter parameter : handler.getMethodParameters()) {
            JsonShardedId mark = parameter.getParameterAnnotation(JsonShardedId.class);
            if (mark != null) {
                check(handler, parameter, mark);
            }
            else if (isForm(parameter)) {
                ReflectionUtils.doWithFields(parameter.getParameterType(),
                        (field) -> checkField(handler, parameter, field),
                        (field) -> field.isAnnotationPresent(JsonShardedId.class));
            }
        }
    }

    private void check(HandlerMethod handler, MethodParameter parameter, JsonShardedId mark) {
        IdText format;
        try {
            format = JsonIds.format(mark, this.formats);
        }
        catch (ShardedIdConfigurationException ex) {
            throw new ShardedIdConfigurationException(ex.problem()
                .in("Could not choose the form of parameter %s of '%s': ".formatted(parameter.getParameterIndex() + 1,
                        handler)),
                    null);
        }
        if (!format.plain() && !isFormatted(parameter)) {
            throw new ShardedIdConfigurationException(
                    ("'@JsonShardedId' on parameter %s of '%s' has no effect: type=%s (long, Long, and "
                            + "collections, arrays and optionals of them, none of which is a body)")
                        .formatted(parameter.getParameterIndex() + 1, handler,
                                ResolvableType.forMethodParameter(parameter)),
                    "change the type, or take a String without the annotation and read it by 'PublicIdFormats'");
        }
    }

    /** Spring binds what says so, and what says nothing but how it is validated. */
    private static boolean isForm(MethodParameter parameter) {
        return parameter.hasParameterAnnotation(ModelAttribute.class) || Stream.of(parameter.getParameterAnnotations())
            .allMatch((mark) -> mark.annotationType().getPackageName().contains(".validation"));
    }

    private void checkField(HandlerMethod handler, MethodParameter parameter, Field field) {
        try {
            JsonIds.format(field.getAnnotation(JsonShardedId.class), this.formats);
        }
        catch (ShardedIdConfigurationException ex) {
            throw new ShardedIdConfigurationException(ex.problem()
                .in("Could not choose the form of field '%s' of '%s', which parameter %s of '%s' binds: ".formatted(
                        field.getName(), parameter.getParameterType().getName(), parameter.getParameterIndex() + 1,
                        handler)),
                    null);
        }
    }

    /**
     * Returns whether the formatter reads a parameter. Another converter would take the
     * plain number, and so would Jackson, which sees no annotation of a parameter.
     */
    private static boolean isFormatted(MethodParameter parameter) {
        boolean body = parameter.hasParameterAnnotation(RequestBody.class)
                || parameter.hasParameterAnnotation(RequestPart.class);
        return !body && (isNumber(parameter.nestedIfOptional().getNestedParameterType()) || holdsNumbers(parameter));
    }

    /** Returns whether a parameter is a collection or an array of numbers of 64 bits. */
    static boolean holdsNumbers(MethodParameter parameter) {
        ResolvableType type = ResolvableType.forMethodParameter(parameter.nestedIfOptional());
        return isNumber(type.getComponentType().resolve()) || isNumber(type.asCollection().getGeneric().resolve());
    }

    static boolean isNumber(@Nullable Class<?> type) {
        return type == long.class || type == Long.class;
    }

    private static void refuseForGood(@Nullable WebBindingInitializer initializer) {
        if (initializer instanceof ConfigurableWebBindingInitializer binding) {
            ConversionService conversion = binding.getConversionService();
            if (conversion != null) {
                binding.setConversionService(new WithoutFallback(conversion));
            }
        }
    }

    /**
     * Throws what a formatter of ids has thrown as it is, and what is wrong with the form
     * of a field further inside of a form object, which nobody has asked for before:
     * after a {@link ConversionFailedException} a data binder tries to convert in another
     * way.
     */
    private static final class WithoutFallback implements ConversionService {

        private final ConversionService conversion;

        WithoutFallback(ConversionService conversion) {
            this.conversion = conversion;
        }

        @Override
        public boolean canConvert(@Nullable Class<?> source, Class<?> target) {
            return this.conversion.canConvert(source, target);
        }

        @Override
        public boolean canConvert(@Nullable TypeDescriptor source, TypeDescriptor target) {
            return this.conversion.canConvert(source, target);
        }

        @Override
        public <T> @Nullable T convert(@Nullable Object value, Class<T> target) {
            return this.conversion.convert(value, target);
        }

        @Override
        public @Nullable Object convert(@Nullable Object value, @Nullable TypeDescriptor source,
                TypeDescriptor target) {
            try {
                return this.conversion.convert(value, source, target);
            }
            catch (ConversionFailedException ex) {
                for (Throwable cause = ex.getCause(); cause != null; cause = cause.getCause()) {
                    if (cause instanceof NoIdException noId) {
                        throw noId;
                    }
                    if (cause instanceof ShardedIdConfigurationException noForm) {
                        throw noForm;
                    }
                }
                throw ex;
            }
        }

    }

}
