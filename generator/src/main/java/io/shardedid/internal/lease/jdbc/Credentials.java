package io.shardedid.internal.lease.jdbc;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.Locale;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdException;
import io.shardedid.WorkerLeaseException;
import org.jspecify.annotations.Nullable;

/**
 * Keeps passwords out of what drivers say. Drivers quote URLs in their messages, and a
 * message ends in logs, in health details and in tickets. Thread-safe.
 *
 * @apiNote The type is public for integrations such as {@code shardedid-shard-move}.
 * @since 0.1
 */
public final class Credentials {

    /** Where nothing is known but what a text looks like. */
    static final Credentials UNKNOWN = new Credentials(null, null);

    private static final String HIDDEN = "***";

    private static final Pattern JDBC_URL = Pattern.compile("jdbc:[^\\s\"'<>]+");

    /** Scheme and subprotocols of a JDBC URL. */
    private static final Pattern SCHEME = Pattern.compile("jdbc:(?:[a-zA-Z0-9]+:)+(?://)?");

    private static final Pattern PARAMETERS = Pattern
        .compile("[?;](?:[\\w.\\-]+=[^&;]*)?(?:[&;](?:[\\w.\\-]+=[^&;]*)?)*");

    /** A port that is no number is the rest of what was meant as a login. */
    private static final Pattern NO_PORT = Pattern.compile("(//[^/\\[]*?):(?!\\d*(?:[/,]|$))[^/]*");

    /** What begins where addresses, paths and names of databases end. */
    private static final Pattern NO_ADDRESS = Pattern.compile("(?s)[^\\w.:/\\\\,\\[\\]~-].*");

    private static final Pattern USER_INFO = Pattern.compile("//\\S*@");

    private static final Pattern PARAMETER = Pattern.compile(
            "(?i)([\\w.\\-]*(?:password|passwd|pwd|passphrase|secret)[\\w.\\-]*\\s*=\\s*)(\"[^\"]*\"|'[^']*'|[^\\s;&,\"')]+)");

    /** A short word without anything else may be part of what is no password. */
    private static final Pattern WORD = Pattern.compile("\\p{Alnum}{1,11}");

    private static final int DEEPEST = 64;

    private final @Nullable String url;

    /** The longest first: one may be a part of another. */
    private final SortedMap<String, Pattern> secrets = new TreeMap<>(
            Comparator.comparing(String::length).reversed().thenComparing(Comparator.naturalOrder()));

    private Credentials(@Nullable String url, @Nullable String password) {
        this.url = url;
        add(password);
        if (url != null) {
            Matcher parameter = PARAMETER.matcher(url);
            while (parameter.find()) {
                add(parameter.group(2));
            }
            int at = url.lastIndexOf('@');
            int colon = url.indexOf(':', Math.max(0, url.indexOf("//")));
            if (at > 0 && colon > 0 && colon < at) {
                String login = url.substring(colon + 1, at);
                add(login);
                // a driver that reads it otherwise quotes a part of it, as a port or as a
                // host
                Stream.of(login.split("[/?;&:@]")).forEach(this::add);
            }
        }
    }

    /**
     * Makes the credentials of connections.
     * @param url the JDBC URL, which may carry more of them, or null if it is not known
     * @param password the password beside the URL
     * @return the credentials
     */
    public static Credentials of(@Nullable String url, @Nullable String password) {
        return new Credentials(url, password);
    }

    private void add(@Nullable String secret) {
        if (secret == null || secret.isBlank()) {
            return;
        }
        Stream.of(secret, decoded(secret))
            .forEach((each) -> this.secrets.put(each, Pattern.compile(WORD.matcher(each).matches()
                    ? "(?<!\\p{Alnum})" + Pattern.quote(each) + "(?!\\p{Alnum})" : Pattern.quote(each))));
    }

    private static String decoded(String secret) {
        try {
            return URLDecoder.decode(secret, StandardCharsets.UTF_8);
        }
        catch (IllegalArgumentException ex) {
            return secret;
        }
    }

    /**
     * Returns a URL as far as it is addresses, paths and the name of a database: without
     * its parameters, and without what stands before an '@'.
     * @param url the JDBC URL
     * @return what a message may say of it
     */
    public static String describe(String url) {
        int end = Stream.of(url.indexOf('?'), url.indexOf(';'))
            .filter((at) -> at >= 0)
            .min(Integer::compare)
            .orElse(-1);
        String described = url;
        if (end >= 0 && PARAMETERS.matcher(url.substring(end)).matches()) {
            described = withoutLogin(url.substring(0, end));
        }
        else {
            // what looks like the beginning of parameters may be part of a password
            described = withoutLogin(url).replaceFirst("[?;&].*$", "");
        }
        return NO_ADDRESS.matcher(NO_PORT.matcher(described).replaceFirst("$1")).replaceFirst("");
    }

    private static String withoutLogin(String url) {
        int at = url.lastIndexOf('@');
        Matcher scheme = SCHEME.matcher(url);
        return (at >= 0 && scheme.lookingAt() && scheme.end() <= at) ? scheme.group() + url.substring(at + 1) : url;
    }

    /** Returns what a driver says without credentials. */
    String without(String text) {
        String clean = (this.url != null) ? text.replace(this.url, describe(this.url)) : text;
        for (Pattern secret : this.secrets.values()) {
            clean = secret.matcher(clean).replaceAll(HIDDEN);
        }
        return withoutUrls(clean);
    }

    /** Returns a text without what looks like credentials, whatever it says beside. */
    static String withoutUrls(String text) {
        String clean = text;
        if (clean.toLowerCase(Locale.ROOT).contains("jdbc:")) {
            clean = JDBC_URL.matcher(clean).replaceAll((found) -> Matcher.quoteReplacement(describe(found.group())));
        }
        clean = USER_INFO.matcher(clean).replaceAll("//");
        return PARAMETER.matcher(clean).replaceAll("$1" + Matcher.quoteReplacement(HIDDEN));
    }

    /**
     * Returns an exception whose texts, and those of all that it refers to, are without
     * credentials: the same one if they are already, else a copy.
     * @param failure the exception
     * @return an exception that a log may show
     */
    public Exception without(Exception failure) {
        return carries(failure, Collections.newSetFromMap(new IdentityHashMap<>())) ? (Exception) copy(failure, 0)
                : failure;
    }

    /**
     * Opens a connection; what the driver throws is without credentials.
     * @param opening opens it
     * @return the connection
     * @throws SQLException if it could not be opened
     */
    public Connection hidden(Opening opening) throws SQLException {
        try {
            return opening.open();
        }
        catch (SQLException ex) {
            throw (SQLException) without(ex);
        }
        catch (RuntimeException ex) {
            throw (RuntimeException) without(ex);
        }
    }

    private boolean carries(Throwable failure, Set<Throwable> seen) {
        if (!seen.add(failure)) {
            return false;
        }
        String message = String.valueOf(failure.getMessage());
        return seen.size() > DEEPEST || !message.equals(said(failure, message))
                || referred(failure).anyMatch((each) -> carries(each, seen));
    }

    /**
     * Returns words of an exception without credentials. A message of this library keeps
     * its own words, such as the user in a GRANT, to which the password may be equal;
     * what it repeats of a driver's words does not.
     */
    private String said(Throwable failure, String message) {
        if (!(failure instanceof ShardedIdException)) {
            return without(message);
        }
        String clean = message;
        for (Throwable each : DriverFailure.chain(failure)) {
            if (!(each instanceof ShardedIdException)) {
                String line = LeaseTableSetup.oneLine(each);
                clean = clean.replace(line, without(line));
            }
        }
        return withoutUrls(clean);
    }

    private ShardedIdConfigurationException.Problem clean(ShardedIdConfigurationException refused) {
        return refused.problem().worded((words) -> said(refused, words));
    }

    private static Stream<Throwable> referred(Throwable failure) {
        return Stream
            .of(Stream.ofNullable(failure.getCause()), Stream.of(failure.getSuppressed()),
                    Stream.ofNullable((failure instanceof SQLException ex) ? ex.getNextException() : null))
            .flatMap((each) -> each);
    }

    private Throwable copy(Throwable failure, int depth) {
        Throwable cause = (failure.getCause() != null && depth < DEEPEST) ? copy(failure.getCause(), depth + 1) : null;
        String message = said(failure, String.valueOf(failure.getMessage()));
        Throwable copy;
        if (failure instanceof WorkerLeaseException refused) {
            copy = new WorkerLeaseException(message, refused.retryable(), refused.action(), cause);
        }
        else if (failure instanceof ShardedIdConfigurationException refused) {
            copy = new ShardedIdConfigurationException(clean(refused), cause);
        }
        else if (failure instanceof ShardedIdException refused) {
            copy = new ShardedIdException(message, refused.retryable(), refused.action(), cause);
        }
        else if (failure instanceof SQLException ex) {
            SQLException sql = (ex instanceof SQLTransientException)
                    ? new SQLTransientException(message, ex.getSQLState(), ex.getErrorCode(), cause)
                    : new SQLException(message, ex.getSQLState(), ex.getErrorCode(), cause);
            if (ex.getNextException() != null && depth < DEEPEST
                    && copy(ex.getNextException(), depth + 1) instanceof SQLException next) {
                sql.setNextException(next);
            }
            copy = sql;
        }
        else {
            copy = new IllegalStateException(without(failure.toString()), cause);
        }
        copy.setStackTrace(failure.getStackTrace());
        return copy;
    }

    /**
     * Opens a connection by a driver.
     *
     * @since 0.1
     */
    @FunctionalInterface
    public interface Opening {

        /**
         * Opens the connection.
         * @return the connection
         * @throws SQLException if there is none
         */
        Connection open() throws SQLException;

    }

}
