package io.shardedid.sample.web;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.shardedid.sample.problem.Problems;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Refuses requests that change something and come from a page of another site (CSRF), and
 * all requests by a name that is not this application's: with a name of its own that
 * leads to this machine (DNS rebinding), another site would be of the same origin.
 *
 * <p>
 * Browsers say where a request comes from: in {@code Sec-Fetch-Site} over HTTPS and on
 * localhost, in {@code Origin} everywhere. Neither can be set by a script. A request with
 * neither comes from no browser, so it carries no session that a stranger could use. The
 * session cookie is {@code SameSite=Lax} besides.
 */
final class ForeignSiteGuard implements HandlerInterceptor {

    private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

    private final List<String> hosts;

    /** Answers to these names of hosts alone. */
    ForeignSiteGuard(List<String> hosts) {
        this.hosts = hosts;
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        if (!this.hosts.contains(lower(request.getServerName()))) {
            throw Problems.foreignHost(request.getServerName(), this.hosts);
        }
        if (!SAFE.contains(request.getMethod())) {
            String origin = request.getHeader(HttpHeaders.ORIGIN);
            if (!fromHere(request, request.getHeader("Sec-Fetch-Site"), origin)) {
                throw Problems.foreignSite(String.valueOf(origin));
            }
        }
        return true;
    }

    private static boolean fromHere(HttpServletRequest request, @Nullable String site, @Nullable String origin) {
        if (site != null) {
            return site.equals("same-origin") || site.equals("none");
        }
        return origin == null || authority(origin).equals(lower(request.getHeader(HttpHeaders.HOST)));
    }

    private static String authority(String origin) {
        try {
            // The origin "null" of a sandboxed page has none and equals no host.
            return lower(URI.create(origin).getRawAuthority());
        }
        catch (IllegalArgumentException malformed) {
            return "";
        }
    }

    private static String lower(@Nullable String text) {
        return (text != null) ? text.toLowerCase(Locale.ROOT) : "no host";
    }

}
