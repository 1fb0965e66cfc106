package io.shardedid.spring.openapi;

import java.util.Map;

import io.shardedid.ShardedId;
import io.shardedid.jackson.IdTexts;
import io.shardedid.spring.json.IdsAsStrings;
import io.shardedid.spring.json.ProjectedIds;
import io.swagger.v3.core.converter.ModelConverter;
import org.springdoc.core.customizers.ParameterCustomizer;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for springdoc: ids are strings in
 * OpenAPI where they are strings in JSON. Off by {@code shardedid.json.as-string=false}.
 */
@AutoConfiguration(beforeName = "org.springdoc.core.configuration.SpringDocConfiguration")
@ConditionalOnClass({ ShardedId.class, ModelConverter.class, ParameterCustomizer.class })
@Conditional(IdsAsStrings.class)
final class ShardedIdOpenApiAutoConfiguration {

    ShardedIdOpenApiAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean(name = "shardedIdOpenApi")
    IdOpenApi shardedIdOpenApi(ObjectProvider<ProjectedIds> projected, ObjectProvider<IdTexts> formats) {
        ProjectedIds known = projected.getIfAvailable();
        return new IdOpenApi((known != null) ? known : (type, arguments) -> Map.of(),
                formats.getIfAvailable(IdTexts::unconfigured));
    }

}
