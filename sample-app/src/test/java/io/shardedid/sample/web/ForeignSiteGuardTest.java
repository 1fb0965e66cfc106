package io.shardedid.sample.web;

import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.ErrorResponseException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ForeignSiteGuardTest {

    @ParameterizedTest
    @CsvSource(nullValues = "-",
            value = { "GET, cross-site, https://evil.example", "POST, same-origin, http://photos.example:8080",
                    "POST, none, -", "POST, -, http://photos.example:8080", "POST, -, HTTP://PHOTOS.example:8080",
                    "DELETE, -, -" })
    void letsThrough(String method, String site, String origin) {
        assertThat(guard(method, site, origin)).isTrue();
    }

    @ParameterizedTest
    @CsvSource(nullValues = "-",
            value = { "POST, cross-site, https://evil.example", "POST, same-site, http://other.example:8080",
                    "PUT, cross-site, -", "DELETE, -, https://evil.example", "POST, -, http://photos.example:9090",
                    "POST, -, null", "POST, -, not%an%origin" })
    void refuses(String method, String site, String origin) {
        assertThatExceptionOfType(ErrorResponseException.class).isThrownBy(() -> guard(method, site, origin))
            .satisfies((refused) -> {
                assertThat(refused.getStatusCode().value()).isEqualTo(403);
                assertThat(refused.getBody().getDetail()).contains("origin=" + origin);
            });
    }

    private static boolean guard(String method, String site, String origin) {
        MockHttpServletRequest request = new MockHttpServletRequest(method, "/photos");
        request.addHeader("Host", "photos.example:8080");
        if (site != null) {
            request.addHeader("Sec-Fetch-Site", site);
        }
        if (origin != null) {
            request.addHeader("Origin", origin);
        }
        return new ForeignSiteGuard(List.of("photos.example")).preHandle(request, new MockHttpServletResponse(),
                new Object());
    }

}
