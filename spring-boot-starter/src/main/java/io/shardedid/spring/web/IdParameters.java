package io.shardedid.spring.web;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.format.PublicIdFormats;
import io.shardedid.jackson.JsonIds;
import io.shardedid.jackson.JsonShardedId;
import io.shardedid.spring.web.IdFormatterFactory.NoIdException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.MethodParameter;
import org.springframework.core.convert.ConversionFailedException;
import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.web.bind.support.ConfigurableWebBindingInitializer;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * Sees to the parameters of controllers that hold ids, before the first request. It
 * refuses those whose ids have no form, and it keeps Spring from reading a text as a
 * number after the formatter has refused it: Spring's data binder falls back on property
 * editors, and the plain number would then open what is sealed.
 */
final class IdParameters implements SmartInitializingSingleton {

    private final ObjectProvider<RequestMappingHandlerMapping> mappings;

    private final ObjectProvider<RequestMappingHandlerAdapter> adapters;

    private final PublicIdFormats formats;

    IdParameters(ObjectProvider<RequestMappingHandlerMapping> mappings,
            ObjectProvider<RequestMappingHandlerAdapter> adapters, PublicIdFormats formats) {
        this.mappings = mappings;
        this.adapters = adapters;
        this.formats = formats;
    }

    @Override
    public void afterSingletonsInstantiated() {
        this.mappings.stream().flatMap((mapping) -> mapping.getHandlerMethods().values().stream()).forEach(this::check);
        this.adapters.forEach(IdParameters::refuseForGood);
    }

    private void check(HandlerMethod handler) {
        for (MethodParameter parameter : handler.getMethodParameters()) {
            JsonShardedId mark = parameter.getParameterAnnotation(JsonShardedId.class);
            if (mark != null) {
                check(handler, parameter, mark);
            }
        }
    }

    private void check(HandlerMethod handler, MethodParameter parameter, JsonShardedId mark) {
        try {
            JsonIds.format(mark, this.formats);
        }
        catch (ShardedIdConfigurationException ex) {
            throw new ShardedIdConfigurationException("Could not choose the form of parameter %d of '%s': %s"
                .formatted(parameter.getParameterIndex() + 1, handler, ex.getMessage()));
        }
    }

    private static void refuseForGood(RequestMappingHandlerAdapter adapter) {
        if (adapter.getWebBindingInitializer() instanceof ConfigurableWebBindingInitializer binding) {
            ConversionService conversion = binding.getConversionService();
            if (conversion != null) {
                binding.setConversionService(new WithoutFallback(conversion));
            }
        }
    }

    /**
     * Throws what a formatter of ids has thrown as it is: after a
     * {@link ConversionFailedException} a data binder tries to convert in another way.
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
                }
                throw ex;
            }
        }

    }

}
