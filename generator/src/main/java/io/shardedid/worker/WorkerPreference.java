package io.shardedid.worker;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.shardedid.ShardedIdConfigurationException;

/**
 * Which worker id a process would like to have. It is claimed in the lease table like any
 * other, never trusted alone; while it is taken, the process gets another one. Immutable.
 *
 * @since 0.1
 */
public final class WorkerPreference {

    /** Any worker id will do. */
    public static final WorkerPreference NONE = new WorkerPreference("none", OptionalInt::empty);

    private static final String KEY = "shardedid.worker.prefer";

    private static final Pattern ORDINAL = Pattern.compile(".*-(\\d{1,9})");

    private final String text;

    private final Supplier<OptionalInt> number;

    private WorkerPreference(String text, Supplier<OptionalInt> number) {
        this.text = text;
        this.number = number;
    }

    /**
     * Returns the preference of a configuration value, on this machine.
     * @param text {@code ordinal}: the number at the end of the host name, as a
     * StatefulSet gives it; {@code private-ip}: the low bits of the private IPv4 address,
     * as Sonyflake takes them; or a number
     * @return the preference
     * @throws ShardedIdConfigurationException if the text is none of these
     */
    public static WorkerPreference of(String text) {
        return of(text, Host.LOCAL);
    }

    static WorkerPreference of(String text, Host host) {
        return switch (text) {
            case "ordinal" -> new WorkerPreference(text, () -> OptionalInt.of(ordinal(host.name())));
            case "private-ip" -> new WorkerPreference(text, () -> OptionalInt.of(lowBits(host.addresses())));
            default -> {
                if (!text.matches("\\d{1,9}")) {
                    throw refused("must be ordinal, private-ip or a number", text);
                }
                int number = Integer.parseInt(text);
                yield new WorkerPreference(text, () -> OptionalInt.of(number));
            }
        };
    }

    /**
     * Returns the worker id that is preferred.
     * @param workers how many there are
     * @return less than {@code workers}, larger numbers start again from 0; or empty
     */
    OptionalInt among(int workers) {
        OptionalInt wanted = this.number.get();
        return wanted.isPresent() ? OptionalInt.of(wanted.getAsInt() % workers) : wanted;
    }

    private static int ordinal(String hostName) {
        Matcher name = ORDINAL.matcher(hostName);
        if (!name.matches()) {
            throw refused("needs a host name that ends in a number, as 'web-2' does: host='" + hostName + "'",
                    "ordinal");
        }
        return Integer.parseInt(name.group(1));
    }

    private static int lowBits(List<InetAddress> addresses) {
        return addresses.stream()
            .filter((address) -> address instanceof Inet4Address && address.isSiteLocalAddress())
            .map(InetAddress::getAddress)
            .map((bytes) -> (bytes[2] & 0xff) << 8 | bytes[3] & 0xff)
            .findFirst()
            .orElseThrow(() -> refused("needs a private IPv4 address: addresses=" + addresses, "private-ip"));
    }

    private static ShardedIdConfigurationException refused(String rule, String text) {
        return new ShardedIdConfigurationException("'%s' %s: %s='%s'".formatted(KEY, rule, KEY, text));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof WorkerPreference that && this.text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return this.text.hashCode();
    }

    @Override
    public String toString() {
        return this.text;
    }

}
