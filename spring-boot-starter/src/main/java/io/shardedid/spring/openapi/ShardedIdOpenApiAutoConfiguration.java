package io.shardedid.spring.openapi;

import com.fasterxml.jackson.annotation.JsonFormat;
import io.shardedid.ShardedId;
import io.swagger.v3.core.converter.ModelConverter;
import org.springdoc.core.customizers.ParameterCustomizer;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for springdoc: ids are strings in
 * OpenAPI where they are strings in JSON.
 */
@AutoConfiguration(beforeName = "org.springdoc.core.configuration.SpringDocConfiguration")
@ConditionalOnClass({ ShardedId.class, JsonFormat.class, ModelConverter.class, ParameterCustomizer.class })
final class ShardedIdOpenApiAutoConfiguration {

    ShardedIdOpenApiAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean(name = "shardedIdOpenApi")
    IdOpenApi shardedIdOpenApi(@Value("${shardedid.json.as-string:true}") boolean asString) {
        return new IdOpenApi(asString);
    }

}
