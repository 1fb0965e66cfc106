package io.shardedid.spring.web;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodParameter;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/**
 * The names that parameters of a controller have in a URL.
 */
final class UrlParameterNames {

    private final ParameterNameDiscoverer names = new DefaultParameterNameDiscoverer();

    String of(MethodParameter parameter) {
        PathVariable variable = parameter.getParameterAnnotation(PathVariable.class);
        RequestParam query = parameter.getParameterAnnotation(RequestParam.class);
        String given = (variable != null) ? variable.name() : (query != null) ? query.name() : "";
        if (!given.isEmpty()) {
            return given;
        }
        parameter.initParameterNameDiscovery(this.names);
        String name = parameter.getParameterName();
        if (name == null) {
            throw new IllegalStateException(("'@UrlShardedId' must find the name of its parameter: %s; name it in "
                    + "'@PathVariable' or '@RequestParam', or compile with '-parameters'")
                .formatted(parameter));
        }
        return name;
    }

}
