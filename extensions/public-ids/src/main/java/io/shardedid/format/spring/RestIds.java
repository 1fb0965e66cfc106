package io.shardedid.format.spring;

import java.io.Serializable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.jackson.IdText;
import io.shardedid.jackson.IdTexts;
import io.shardedid.jackson.JsonIds;
import io.shardedid.jackson.JsonIds.NoIdException;
import io.shardedid.jackson.JsonShardedId;
import io.shardedid.key.ShardedAttribute;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.ResolvableType;
import org.springframework.data.repository.core.RepositoryInformation;
import org.springframework.data.repository.support.DefaultRepositoryInvokerFactory;
import org.springframework.data.repository.support.Repositories;
import org.springframework.data.repository.support.RepositoryInvoker;
import org.springframework.data.rest.core.config.EntityLookupRegistrar;
import org.springframework.data.rest.core.config.RepositoryRestConfiguration;
import org.springframework.data.rest.core.mapping.PropertyAwareResourceMapping;
import org.springframework.data.rest.core.mapping.ResourceMappings;
import org.springframework.data.rest.core.mapping.ResourceMetadata;
import org.springframework.data.rest.webmvc.ResourceNotFoundException;
import org.springframework.data.rest.webmvc.config.RepositoryRestConfigurer;
import org.springframework.data.rest.webmvc.spi.BackendIdConverter;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.HttpMediaTypeNotSupportedException;
import org.springframework.web.method.HandlerMethod;
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
                all.getRepositoryInformationFor(entity).ifPresent((repository) -> {
                    refuseMarkedQueries(repository);
                    form(entity)
                        .ifPresent((format) -> lookUp(entity, format, all, repository, rest.withEntityLookup()));
                });
            }
        }
    }

    /** Spring Data REST converts the parameters of exported queries by itself. */
    private void refuseMarkedQueries(RepositoryInformation repository) {
        for (Method query : repository.getQueryMethods()) {
            for (Parameter parameter : query.getParameters()) {
                JsonShardedId mark = parameter.getAnnotation(JsonShardedId.class);
                if (mark != null && !JsonIds.format(mark, this.formats).plain()) {
                    throw new ShardedIdConfigurationException(
                            "Query '%s.%s' would take the number of an id: form=%s (Spring Data REST reads its parameters without '@JsonShardedId')"
                                .formatted(repository.getRepositoryInterface().getName(), query.getName(),
                                        JsonIds.format(mark, this.formats)),
                            "do not export the query, and serve it by a controller");
                }
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
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
            throws HttpMediaTypeNotSupportedException {
        if (request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE) instanceof Map<?, ?> parts
                && parts.containsKey(REPOSITORY) && isOfDataRest(handler)) {
            refusePatch(request);
            refusePredicate(request, parts.get(REPOSITORY));
        }
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

    /** A controller of the application may have a variable of that name. */
    private static boolean isOfDataRest(Object handler) {
        return handler instanceof HandlerMethod method && method.getBeanType()
            .getPackageName()
            .equals(RepositoryRestConfigurer.class.getPackageName().replaceFirst("\\.config$", ""));
    }

    /**
     * A patch by paths copies attributes past all that writes and reads JSON, to a text
     * that the client then reads, from this entity or from another one behind it.
     */
    private void refusePatch(HttpServletRequest request) throws HttpMediaTypeNotSupportedException {
        String type = request.getContentType();
        if (type != null && type.toLowerCase(Locale.ROOT).contains("json-patch")
                && this.mappings.stream()
                    .flatMap((all) -> all.stream())
                    .anyMatch((mapping) -> form(mapping.getDomainType()).isPresent())) {
            throw new HttpMediaTypeNotSupportedException(
                    "JSON Patch would carry ids as numbers; send 'application/merge-patch+json'");
        }
    }

    /** A predicate of Querydsl compares the attribute with a number. */
    private void refusePredicate(HttpServletRequest request, @Nullable Object repository) {
        mapping(repository).map(ResourceMetadata::getDomainType)
            .filter((domain) -> request.getParameterMap().keySet().stream().anyMatch((name) -> opensId(domain, name)))
            .ifPresent((domain) -> {
                throw new ResourceNotFoundException("No resource is found by the number of an id");
            });
    }

    /** Returns whether a path, such as {@code album.id}, ends at an id with a form. */
    private boolean opensId(Class<?> domain, String path) {
        Class<?> owner = domain;
        String[] attributes = path.split("\\.");
        for (int i = 0; i < attributes.length - 1; i++) {
            Field field = ReflectionUtils.findField(owner, attributes[i]);
            if (field == null) {
                return false;
            }
            ResolvableType type = ResolvableType.forField(field, owner);
            ResolvableType element = type.as(Iterable.class).getGeneric(0);
            owner = ((element != ResolvableType.NONE) ? element : type).toClass();
        }
        return attributes.length > 0 && ShardedAttribute.is(owner, attributes[attributes.length - 1])
                && form(owner).isPresent();
    }

    private Optional<ResourceMetadata> mapping(@Nullable Object repository) {
        return this.mappings.stream()
            .flatMap((all) -> all.stream())
            .filter((mapping) -> mapping.isExported() && mapping.getPath().matches(String.valueOf(repository)))
            .findFirst();
    }

    private Optional<IdText> formOfProperty(@Nullable Object repository, @Nullable Object property) {
        return mapping(repository)
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
