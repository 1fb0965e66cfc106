package io.shardedid.spring.web;

import java.lang.annotation.Annotation;
import java.util.List;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodParameter;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.MatrixVariable;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RequestPart;

/**
 * The names that parameters of a controller have in a URL.
 */
final class UrlParameterNames {

    /** Nothing looks for ids there. */
    private static final List<Class<? extends Annotation>> ELSEWHERE = List.of(RequestHeader.class, CookieValue.class,
            MatrixVariable.class, RequestBody.class, RequestPart.class, ModelAttribute.class);

    private final ParameterNameDiscoverer names = new DefaultParameterNameDiscoverer();

    String of(MethodParameter parameter) {
        PathVariable variable = parameter.getParameterAnnotation(PathVariable.class);
        RequestParam query = parameter.getParameterAnnotation(RequestParam.class);
        String given = (variable != null) ? variable.name() : (query != null) ? query.name() : "";
        if (!given.isEmpty()) {
            return given;
        }
        if (ELSEWHERE.stream().anyMatch(parameter::hasParameterAnnotation)) {
            throw new IllegalStateException(
                    "'@UrlShardedId' must stand on a path variable or a request parameter: %s; remove it there"
                        .formatted(parameter));
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
