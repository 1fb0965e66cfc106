package io.shardedid.sample.web;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.shardedid.sample.SampleTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What holds for every request, whoever answers it.
 */
@Tag("slow")
@SampleTest
class EveryRequestTest {

    private static final Map<String, String> HEADERS = Map.of("X-Content-Type-Options", "nosniff", "X-Frame-Options",
            "DENY", "Referrer-Policy", "same-origin", "Cross-Origin-Opener-Policy", "same-origin",
            "Cross-Origin-Resource-Policy", "same-origin", "Permissions-Policy",
            "camera=(), geolocation=(), microphone=()");

    @LocalServerPort
    private int port;

    @Autowired
    private MockMvcTester mvc;

    @Autowired
    @Qualifier("requestMappingHandlerMapping")
    private RequestMappingHandlerMapping mappings;

    /** Every one there is, so that one which is added later is asked too. */
    @Test
    void nothingIsChangedByAPageOfAnotherSite() {
        List<RequestMappingInfo> changing = this.mappings.getHandlerMethods()
            .keySet()
            .stream()
            .filter((info) -> changes(info.getMethodsCondition().getMethods()))
            .toList();
        assertThat(changing).hasSizeGreaterThanOrEqualTo(6);
        for (RequestMappingInfo info : changing) {
            for (RequestMethod method : info.getMethodsCondition().getMethods()) {
                String path = info.getPatternValues().iterator().next().replaceAll("\\{[^}]*}", "1");
                assertThat(this.mvc.method(HttpMethod.valueOf(method.name()))
                    .uri(path)
                    .header("Sec-Fetch-Site", "cross-site")
                    .header("Origin", "https://elsewhere.example")).as("%s %s", method, path)
                    .hasStatus(HttpStatus.FORBIDDEN)
                    .bodyText()
                    .contains("A page of another site sent this request");
            }
        }
    }

    private static boolean changes(Set<RequestMethod> methods) {
        return !methods.isEmpty() && !methods.contains(RequestMethod.GET);
    }

    /** A mapping without a method would take any, and escape the check above. */
    @Test
    void everyMappingOfThisApplicationSaysItsMethod() {
        assertThat(this.mappings.getHandlerMethods()).allSatisfy((info, handler) -> {
            if (handler.getBeanType().getPackageName().startsWith("io.shardedid")) {
                assertThat(info.getMethodsCondition().getMethods()).as(handler.toString()).isNotEmpty();
            }
        });
    }

    /** The server answers those itself, before this application sees them. */
    @ParameterizedTest
    @ValueSource(strings = { "GET /[ HTTP/1.1", "GET / HTTP/9.9", "G@T / HTTP/1.1" })
    void whatIsNoRequestLearnsNothingOfTheServer(String line) throws IOException {
        assertThat(answer(line + "\r\nHost: localhost")).startsWith("HTTP/1.1 ")
            .doesNotContain(" 200 ")
            .doesNotContainIgnoringCase("tomcat")
            .doesNotContain("Exception", "\tat ");
    }

    /** Only a server decodes a query. */
    @ParameterizedTest
    @ValueSource(strings = { "/ids?id=%C0%AF", "/?before=%FF", "/time?day=%" })
    void aQueryThatIsNoTextIsABadRequest(String path) throws IOException {
        assertThat(answer("GET " + path + " HTTP/1.1\r\nHost: localhost")).startsWith("HTTP/1.1 400 ")
            .doesNotContain("Exception", "\tat ");
    }

    private String answer(String head) throws IOException {
        try (Socket socket = new Socket("localhost", this.port)) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream()
                .write((head + "\r\nConnection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /**
     * Linux has the whole of 127.0.0.0/8, and a server on all addresses answers there.
     */
    @Test
    void nobodyConnectsFromOutside() {
        assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> new Socket("127.0.0.2", this.port).close());
    }

    /** A name of somebody else's that leads here (DNS rebinding). */
    @ParameterizedTest
    @ValueSource(strings = { "GET / HTTP/1.1", "GET /sample.css HTTP/1.1", "POST /sign-out HTTP/1.1",
            "GET /actuator/shardedid HTTP/1.1", "GET /actuator/metrics HTTP/1.1" })
    void noOtherNameIsServed(String line) throws IOException {
        String evil = "\r\nHost: evil.example:%1$s\r\nOrigin: http://evil.example:%1$s".formatted(this.port);
        assertThat(answer(line + evil + "\r\nContent-Length: 0")).startsWith("HTTP/1.1 403 ")
            .contains("Here nobody answers to this name: host=evil.example (sample.hosts=localhost,127.0.0.1).");
    }

    /** The probes of Kubernetes ask an address. */
    @ParameterizedTest
    @ValueSource(strings = { "", "/liveness", "/readiness" })
    void healthIsToldUnderEveryName(String probe) throws IOException {
        assertThat(answer("GET /actuator/health" + probe + " HTTP/1.1\r\nHost: 10.1.2.3:8080"))
            .startsWith("HTTP/1.1 200 ");
    }

    /** A server writes the cookie, so a server is asked. */
    @Test
    void theCookieOfASessionStaysOnThisSiteAndOutOfScripts() throws Exception {
        HttpRequest signUp = HttpRequest.newBuilder(URI.create("http://localhost:" + this.port + "/sign-up"))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString("name=Cookie"))
            .build();
        List<String> cookies = HttpClient.newHttpClient()
            .send(signUp, BodyHandlers.discarding())
            .headers()
            .allValues("Set-Cookie");
        assertThat(cookies).isNotEmpty()
            .allSatisfy((cookie) -> assertThat(cookie).contains("; HttpOnly", "; SameSite=Lax"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "/", "/photos/1", "/nowhere", "/api/photos", "/api/photos/x", "/sample.css", "/sample.js",
            "/actuator/health" })
    void everyAnswerCarriesTheHeaders(String path) {
        assertThat(this.mvc.get().uri(path)).satisfies((answer) -> {
            HEADERS.forEach((name, value) -> assertThat(answer).hasHeader(name, value));
            assertThat(answer).headers()
                .hasHeaderSatisfying("Content-Security-Policy",
                        (policies) -> assertThat(policies).singleElement().asString().startsWith("default-src 'none'"));
        });
    }

}
