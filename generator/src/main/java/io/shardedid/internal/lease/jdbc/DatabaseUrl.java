package io.shardedid.internal.lease.jdbc;

import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.shardedid.ShardedIdConfigurationException;
import org.jspecify.annotations.Nullable;

/**
 * What a JDBC URL shows of the database behind it. The URL may be that of a driver which
 * wraps another one, such as {@code jdbc:p6spy:h2:mem:x}: the first word that names a
 * database counts.
 *
 * @param text the URL as it was typed, or as a connection names it
 */
record DatabaseUrl(String text) {

    private static final String SCHEME = "jdbc:";

    private static final String POSTGRESQL = "jdbc:postgresql://";

    private static final String TARGET_SERVER_TYPE = "targetServerType";

    private static final Pattern TARGET = Pattern.compile("[?&]" + TARGET_SERVER_TYPE + "=(\\w*)");

    /** The second is an older name. */
    private static final List<String> PRIMARY = List.of("primary", "master");

    private static final String AUTO_SERVER = "AUTO_SERVER=TRUE";

    private static final List<String> H2_SERVERS = List.of("h2:tcp:", "h2:ssl:");

    private static final List<String> HSQLDB_SERVERS = List.of("hsqldb:hsql:", "hsqldb:hsqls:", "hsqldb:http:",
            "hsqldb:https:");

    /** Scheme and subprotocols of a JDBC URL. */
    private static final Pattern PROTOCOL = Pattern.compile("jdbc:(?:[a-zA-Z0-9]+:)+(?://)?");

    /** A port that is no number is the rest of what was meant as a login. */
    private static final Pattern NO_PORT = Pattern.compile("(//[^/\\[]*?):(?!\\d*(?:[/,]|$))[^/]*");

    /** What begins where addresses, paths and names of databases end. */
    private static final Pattern NO_ADDRESS = Pattern.compile("(?s)[^\\w.:/\\\\,\\[\\]~-].*");

    enum Reach {

        THIS_PROCESS, OTHERS, UNKNOWN

    }

    /** Whether other processes cannot reach the database. */
    boolean isPrivate() {
        return reach() == Reach.THIS_PROCESS;
    }

    /**
     * Whether other processes cannot reach the database of an open connection: what was
     * typed may say so, and what the connection says.
     * @param typed the URL by which the connection was opened, if that is known
     * @param seen the URL that the connection says
     */
    static boolean isPrivate(@Nullable DatabaseUrl typed, DatabaseUrl seen) {
        if (typed == null) {
            return seen.isPrivate();
        }
        // H2 leaves the settings out of the URL that it says
        return typed.isPrivate() || seen.isPrivate() && !typed.has(AUTO_SERVER);
    }

    /** Whether the database is one of H2 or HSQLDB that has no server of its own. */
    boolean isEmbedded() {
        String rest = database();
        return rest.startsWith("h2:") && H2_SERVERS.stream().noneMatch(rest::startsWith)
                || rest.startsWith("hsqldb:") && HSQLDB_SERVERS.stream().noneMatch(rest::startsWith);
    }

    /** Whether a setting follows the name of the database. */
    boolean has(String setting) {
        return Stream.of(this.text.split(";")).skip(1).anyMatch((each) -> each.strip().equalsIgnoreCase(setting));
    }

    /** Who can reach the database, as far as a URL tells. */
    Reach reach() {
        String rest = database();
        if (rest.isEmpty()) {
            return Reach.UNKNOWN;
        }
        boolean alone = switch (rest.substring(0, rest.indexOf(':'))) {
            case "h2" -> isEmbedded() && !has(AUTO_SERVER);
            case "hsqldb" -> isEmbedded();
            case "derby" -> !rest.startsWith("derby://");
            case "sqlite" -> rest.equals("sqlite:") || rest.contains(":memory:");
            // a container that this process starts
            case "tc" -> !rest.contains("tc_reusable=true");
            default -> false;
        };
        return alone ? Reach.THIS_PROCESS : Reach.OTHERS;
    }

    /** The URL from the name of the database on, in lower case, or an empty text. */
    private String database() {
        String rest = this.text.toLowerCase(Locale.ROOT);
        rest = rest.startsWith(SCHEME) ? rest.substring(SCHEME.length()) : "";
        while (!rest.isEmpty() && !named(rest)) {
            int end = rest.indexOf(':');
            rest = (end > 0 && rest.substring(0, end).matches("[\\w.+-]+")) ? rest.substring(end + 1) : "";
        }
        return rest;
    }

    private static boolean named(String rest) {
        return Stream.of("derby:", "sqlite:", "tc:").anyMatch(rest::startsWith)
                || LeaseDialect.ofUrl(SCHEME + rest).isPresent();
    }

    /**
     * Fails where a URL of PostgreSQL names several hosts and no setting finds the
     * primary among them: a connection may lead to a standby then.
     * @param url the URL, or null if it is not known
     * @param properties the settings beside it
     */
    static void requirePrimary(@Nullable String url, Properties properties) {
        if (url == null || !url.startsWith(POSTGRESQL)
                || !url.substring(POSTGRESQL.length()).split("[/?]", 2)[0].contains(",")) {
            return;
        }
        Matcher inUrl = TARGET.matcher(url);
        String target = inUrl.find() ? inUrl.group(1) : properties.getProperty(TARGET_SERVER_TYPE);
        if (target == null || !PRIMARY.contains(target)) {
            throw new ShardedIdConfigurationException(
                    "'%s' must be 'primary' in a URL of several hosts: connection=%s, %1$s=%s"
                        .formatted(TARGET_SERVER_TYPE, describe(url), target),
                    "add 'targetServerType=primary' to the URL", TARGET_SERVER_TYPE);
        }
    }

    /**
     * Returns a URL as far as it is addresses, paths and the name of a database: without
     * its parameters, and without what stands before an '@'. Behind an '@' that may be
     * part of a parameter or of a password, nothing is told for certain.
     * @param url the JDBC URL
     * @return what a message may say of it
     */
    static String describe(String url) {
        Matcher protocol = PROTOCOL.matcher(url);
        String said = protocol.lookingAt() ? protocol.group() : "";
        String rest = url.substring(said.length());
        String login = rest.substring(0, rest.lastIndexOf('@') + 1);
        if (login.matches("(?s).*[?;&].*")) {
            return said;
        }
        String address = said + rest.substring(login.length()).replaceFirst("(?s)[?;&].*", "");
        return NO_ADDRESS.matcher(NO_PORT.matcher(address).replaceFirst("$1")).replaceFirst("");
    }

}
