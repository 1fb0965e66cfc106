package io.shardedid.zookeeper;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

import io.shardedid.internal.lease.LeaseRow;
import org.jspecify.annotations.Nullable;

/**
 * A row as the data of a node: lines of a name and a value, with the names of the columns
 * of the lease table, so that people read them with any client.
 */
final class LeaseNode {

    private static final String FIRST_LINE = "shardedid-lease=1";

    private LeaseNode() {
    }

    static byte[] write(LeaseRow row) {
        StringBuilder text = new StringBuilder(FIRST_LINE);
        line(text, "token", row.token());
        line(text, "fence", String.valueOf(row.acquisitions()));
        line(text, "lease_until", String.valueOf(row.leaseUntilMillis()));
        line(text, "hwm_tick", String.valueOf(row.hwmTick()));
        line(text, "owner", row.owner());
        line(text, "layout", row.layout());
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void line(StringBuilder text, String name, @Nullable String value) {
        if (value != null) {
            text.append('\n')
                .append(name)
                .append('=')
                .append(URLEncoder.encode(value, StandardCharsets.UTF_8).replace('+', ' '));
        }
    }

    /**
     * Reads a row.
     * @throws IllegalArgumentException if the data are not those of a row
     */
    static LeaseRow read(int worker, byte @Nullable [] data) {
        String text = (data != null) ? new String(data, StandardCharsets.UTF_8) : "";
        Map<String, String> values = new HashMap<>();
        String[] lines = text.split("\n");
        if (!lines[0].equals(FIRST_LINE)) {
            throw new IllegalArgumentException("it does not begin with '" + FIRST_LINE + "'");
        }
        for (String line : lines) {
            int at = line.indexOf('=');
            String value = line.substring(at + 1).replace("+", "%2B");
            values.put(line.substring(0, Math.max(0, at)), URLDecoder.decode(value, StandardCharsets.UTF_8));
        }
        return new LeaseRow(worker, value(values, "token"), number(values, "fence"), number(values, "lease_until"),
                number(values, "hwm_tick"), values.get("owner"), values.get("layout"));
    }

    private static long number(Map<String, String> values, String name) {
        String value = value(values, name);
        try {
            return Long.parseLong(value);
        }
        catch (NumberFormatException ex) {
            throw new IllegalArgumentException("'%s=%s' is no number".formatted(name, value), ex);
        }
    }

    private static String value(Map<String, String> values, String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("it has no " + name);
        }
        return value;
    }

}
