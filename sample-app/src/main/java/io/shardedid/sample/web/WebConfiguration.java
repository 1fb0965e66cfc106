package io.shardedid.sample.web;

import java.util.List;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.handler.MappedInterceptor;

/**
 * What holds for every controller.
 */
@Configuration(proxyBeanMethods = false)
class WebConfiguration {

    /**
     * The endpoints of the actuator use only interceptors that are beans. The probes of
     * Kubernetes ask an address for the health.
     */
    @Bean
    static MappedInterceptor foreignSites(@Value("${sample.hosts}") List<String> hosts) {
        return new MappedInterceptor(new String[] { "/**" }, new String[] { "/actuator/health/**" },
                new ForeignSiteGuard(hosts));
    }

}
