package io.shardedid.internal.config;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.shardedid.LeaseAcquisition;
import io.shardedid.SchemaInitialization;
import io.shardedid.ShardFunction;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.WorkerIdRange;
import io.shardedid.WorkerMode;
import org.jspecify.annotations.Nullable;

/**
 * How the value of a key is read: an object of its type is taken as it is, a string by
 * the form that the message of a refusal names.
 */
final class SettingType<T> {

    static final SettingType<Instant> INSTANT = new SettingType<>(Instant.class,
            "an ISO instant such as 2025-01-01T00:00:00Z", (key, text) -> Instant.parse(text));

    static final SettingType<Duration> DURATION = new SettingType<>(Duration.class,
            "a duration with its unit such as 30s, 500ms or PT30S", (key, text) -> duration(text));

    static final SettingType<Integer> INTEGER = new SettingType<>(Integer.class, "a whole number",
            (key, text) -> Integer.valueOf(text));

    static final SettingType<Boolean> BOOLEAN = new SettingType<>(Boolean.class, "true or false",
            (key, text) -> truth(text));

    static final SettingType<String> TEXT = new SettingType<>(String.class, "a text that is not blank",
            (key, text) -> text.isBlank() ? null : text, (value) -> false);

    static final SettingType<WorkerIdRange> WORKER_IDS = new SettingType<>(WorkerIdRange.class,
            "two numbers with a hyphen between them, the lower one first, such as 0-15", (key, text) -> range(text));

    static final SettingType<WorkerMode> WORKER_MODE = oneOf(WorkerMode.class);

    static final SettingType<SchemaInitialization> SCHEMA_INITIALIZATION = oneOf(SchemaInitialization.class);

    static final SettingType<LeaseAcquisition> LEASE_ACQUISITION = oneOf(LeaseAcquisition.class);

    static final SettingType<KeyChange> KEY_CHANGE = oneOf(KeyChange.class);

    static final SettingType<ShardFunction> SHARD_FUNCTION = new SettingType<>(ShardFunction.class,
            "modulo, hash, a ShardFunction, or the name of its class", NamedShardFunction::find);

    /** An engine, or one that opens when it is needed. */
    static final SettingType<Object> ENGINE = new SettingType<>(Object.class,
            "what ShardedIds.builder() opened, handed over as an object (in place of a mock, tests take '@PredictableIds' "
                    + "or '@MockitoSpyBean')",
            (key, text) -> null, (value) -> value instanceof ShardedIdEngine || value instanceof EngineOnDemand);

    private static final Pattern SIMPLE_DURATION = Pattern.compile("(\\d{1,12})(ns|us|ms|s|m|h|d)");

    private static final Map<String, ChronoUnit> UNITS = Map.of("ns", ChronoUnit.NANOS, "us", ChronoUnit.MICROS, "ms",
            ChronoUnit.MILLIS, "s", ChronoUnit.SECONDS, "m", ChronoUnit.MINUTES, "h", ChronoUnit.HOURS, "d",
            ChronoUnit.DAYS);

    private final Class<T> javaType;

    private final String form;

    private final Reader<T> reader;

    private final Predicate<Object> ready;

    private SettingType(Class<T> javaType, String form, Reader<T> reader) {
        this(javaType, form, reader, javaType::isInstance);
    }

    private SettingType(Class<T> javaType, String form, Reader<T> reader, Predicate<Object> ready) {
        this.javaType = javaType;
        this.form = form;
        this.reader = reader;
        this.ready = ready;
    }

    /** Reads a text; returns null, or throws, if it has another form. */
    private interface Reader<T> {

        @Nullable T read(String key, String text);

    }

    Class<T> javaType() {
        return this.javaType;
    }

    /**
     * Reads the value of a key.
     * @throws ShardedIdConfigurationException if it is of another type or form
     */
    T read(String key, Object value) {
        T read = this.ready.test(value) ? this.javaType.cast(value)
                : (value instanceof String text) ? parsed(key, text.strip()) : null;
        if (read == null) {
            throw new ShardedIdConfigurationException("'%s' must be %s: %s='%s'%s".formatted(key, this.form, key, value,
                    (value instanceof String) ? "" : " of type " + value.getClass().getName()), null, key);
        }
        return read;
    }

    private @Nullable T parsed(String key, String text) {
        try {
            return this.reader.read(key, text);
        }
        catch (DateTimeParseException | NumberFormatException ex) {
            return null;
        }
    }

    private static @Nullable Duration duration(String text) {
        Matcher simple = SIMPLE_DURATION.matcher(text);
        Duration read = simple.matches()
                ? Duration.of(Long.parseLong(simple.group(1)), Objects.requireNonNull(UNITS.get(simple.group(2))))
                : Duration.parse(text);
        return read.isNegative() ? null : read;
    }

    private static @Nullable WorkerIdRange range(String text) {
        try {
            return WorkerIdRange.parse(text);
        }
        catch (ShardedIdConfigurationException ex) {
            return null;
        }
    }

    private static @Nullable Boolean truth(String text) {
        return text.equals("true") ? Boolean.TRUE : text.equals("false") ? Boolean.FALSE : null;
    }

    private static <E extends Enum<E>> SettingType<E> oneOf(Class<E> type) {
        String names = Arrays.stream(type.getEnumConstants())
            .map(SettingType::externalName)
            .collect(Collectors.joining(", "));
        return new SettingType<>(type, "one of " + names,
                (key, text) -> Arrays.stream(type.getEnumConstants())
                    .filter((constant) -> externalName(constant).equals(text))
                    .findFirst()
                    .orElse(null));
    }

    /** Spells a constant as configuration does: {@code first-use}. */
    static String externalName(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

}
