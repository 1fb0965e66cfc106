package io.shardedid.format.spring;

import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import io.shardedid.jackson.IdText;
import io.shardedid.jackson.IdTexts;
import io.shardedid.jackson.JsonIds.NoIdException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.data.repository.core.RepositoryInformation;
import org.springframework.data.repository.support.DefaultRepositoryInvokerFactory;
import org.springframework.data.repository.support.Repositories;
import org.springframework.data.repository.support.RepositoryInvoker;
import org.springframework.data.rest.core.config.EntityLookupRegistrar;
import org.springframework.data.rest.core.config.RepositoryRestConfiguration;
import org.springframework.data.rest.core.mapping.PropertyAwareResourceMapping;
import org.springframework.data.rest.core.mapping.ResourceMappings;
import org.springframework.data.rest.webmvc.ResourceNotFoundException;
import org.springframework.data.rest.webmvc.config.RepositoryRestConfigurer;
import org.springframework.data.rest.webmvc.spi.BackendIdConverter;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.config.annotation.CorsRegistry;

/**
 * Writes and reads the ids in the URIs of Spring Data REST in the form of their entity.
 * Ids stand there in three places, which Spring Data REST reads in three ways: in the URI
 * of an item, in the URI of an item that a body refers to, and behind the URI of an
 * association. A text that is no id is a resource that does not exist.
 */
final class RestIds implements BackendIdConverter, RepositoryRestConfigurer, HandlerInterceptor {

    /**
     * What Spring Data REST calls the parts of
     * {@code /{repository}/{id}/{property}/{propertyId}}.
     */
    private static final String REPOSITORY = "repository";

    private static final String PROPERTY = "property";

    private static final String PROPERTY_ID = "propertyId";

    private final IdTexts formats;

    private final ObjectProvider<Repositories> repositories;

    private final ObjectProvider<ResourceMappings> mappings;

    RestIds(IdTexts formats, ObjectProvider<Repositories> repositories, ObjectProvider<ResourceMappings> mappings) {
        this.formats = formats;
        this.repositories = repositories;
        this.mappings = mappings;
    }

    @Override
    public boolean supports(Class<?> entity) {
        return form(entity).isPresent();
    }

    @Override
    public Serializable fromRequestId(String text, Class<?> entity) {
        return read(text, form(entity).orElseThrow());
    }

    @Override
    public String toRequestId(Serializable id, Class<?> entity) {
        return form(entity).orElseThrow().format((Long) id);
    }

    @Override
    public void configureRepositoryRestConfiguration(RepositoryRestConfiguration rest, CorsRegistry cors) {
        for (Repositories all : this.repositories) {
            for (Class<?> entity : all) {
                form(entity).ifPresent((format) -> all.getRepositoryInformationFor(entity)
                    .ifPresent((repository) -> lookUp(entity, format, all, repository, rest.withEntityLookup())));
            }
        }
    }

    /**
     * Bodies refer to an item by its URI, and the end of it arrives here as a text.
     * Spring Data REST also asks an empty proxy for its id, which is null.
     */
    @SuppressWarnings({ "unchecked", "rawtypes", "NullAway" })
    private static void lookUp(Class<?> entity, IdText format, Repositories all, RepositoryInformation repository,
            EntityLookupRegistrar lookups) {
        RepositoryInvoker invoker = new DefaultRepositoryInvokerFactory(all).getInvokerFor(entity);
        lookups.forRepository((Class) repository.getRepositoryInterface(),
                (item) -> all.getPersistentEntity(entity).getIdentifierAccessor(item).getIdentifier(),
                (ignored, id) -> invoker.invokeFindById((id instanceof String text) ? read(text, format) : id));
    }

    /**
     * Spring Data REST compares the last part with the number, so it is given the number.
     */
    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        if (request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE) instanceof Map<?, ?> variables
                && variables.get(PROPERTY_ID) instanceof String text) {
            formOfProperty(variables.get(REPOSITORY), variables.get(PROPERTY)).ifPresent((format) -> {
                Map<Object, Object> numbered = new HashMap<>(variables);
                numbered.put(PROPERTY_ID, Long.toString(read(text, format)));
                request.setAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE, numbered);
            });
        }
        return true;
    }

    private Optional<IdText> formOfProperty(@Nullable Object repository, @Nullable Object property) {
        return this.mappings.stream()
            .flatMap((all) -> all.stream())
            .filter((mapping) -> mapping.isExported() && mapping.getPath().matches(String.valueOf(repository)))
            .findFirst()
            .<PropertyAwareResourceMapping>map((mapping) -> mapping.getProperty(String.valueOf(property)))
            .flatMap((mapping) -> form(mapping.getProperty().getActualType()));
    }

    private Optional<IdText> form(Class<?> entity) {
        return EntityByText.form(entity, this.formats);
    }

    private static Long read(String text, IdText format) {
        try {
            return EntityByText.read(text, format);
        }
        catch (NoIdException noId) {
            throw new ResourceNotFoundException(noId.getMessage(), noId);
        }
    }

}
