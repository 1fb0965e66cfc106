package io.shardedid.config;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.shardedid.ShardFunction;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.format.PublicIdForm;
import io.shardedid.format.SealingKeys;
import io.shardedid.worker.LeaseAcquisition;
import io.shardedid.worker.WorkerMode;
import io.shardedid.worker.table.SchemaInitialization;

import org.jspecify.annotations.Nullable;

/**
 * How the value of a key is read: an object of its type is taken as it is, a string by
 * the form that the message of a refusal names.
 */
enum SettingType {

    INSTANT(Instant.class, "an ISO instant such as 2025-01-01T00:00:00Z", SettingType::instant),

    DURATION(Duration.class, "a duration with its unit such as 30s, 500ms or PT30S", SettingType::duration),

    INTEGER(Integer.class, "a whole number", SettingType::integer),

    BOOLEAN(Boolean.class, "true or false", SettingType::truth),

    TEXT(String.class, "a text that is not blank", (text) -> text.isBlank() ? null : text),

    WORKER_MODE(WorkerMode.class, oneOf(WorkerMode.class), (text) -> constant(WorkerMode.class, text)),

    SCHEMA_INITIALIZATION(SchemaInitialization.class, oneOf(SchemaInitialization.class),
            (text) -> constant(SchemaInitialization.class, text)),

    LEASE_ACQUISITION(LeaseAcquisition.class, oneOf(LeaseAcquisition.class),
            (text) -> constant(LeaseAcquisition.class, text)),

    KEY_CHANGE(KeyChange.class, oneOf(KeyChange.class), (text) -> constant(KeyChange.class, text)),

    JSON_AS_STRING(JsonAsString.class, oneOf(JsonAsString.class), (text) -> constant(JsonAsString.class, text)),

    PUBLIC_ID_FORM(PublicIdForm.class, "one of " + String.join(", ", PublicIdForm.names()),
            (text) -> PublicIdForm.named(text).orElse(null)),

    SEALING_KEYS(SealingKeys.class, "AES keys in Base64, separated by commas", SettingType::sealingKeys),

    SHARD_FUNCTION(ShardFunction.class, "modulo, hash, a ShardFunction, or the name of its class",
            NamedShardFunction::find),

    ENGINE(ShardedIdEngine.class, "what ShardedIds.builder() opened, handed over as an object", (text) -> null),

    MANAGED(Object.class, "a ShardedIdSettings, true or false", SettingType::truth);

    private static final Pattern SIMPLE_DURATION = Pattern.compile("(\\d{1,12})(ns|us|ms|s|m|h|d)");

    private final Class<?> javaType;

    private final String form;

    private final Function<String, @Nullable Object> reader;

    SettingType(Class<?> javaType, String form, Function<String, @Nullable Object> reader) {
        this.javaType = javaType;
        this.form = form;
        this.reader = reader;
    }

    Class<?> javaType() {
        return this.javaType;
    }

    /**
     * Reads the value of a key.
     * @throws ShardedIdConfigurationException if it is of another type or form
     */
    Object read(String key, Object value) {
        if (this == JSON_AS_STRING && value instanceof Boolean) {
            return read(key, value.toString());
        }
        Object read = accepts(value) ? value : (value instanceof String text) ? this.reader.apply(text.strip()) : null;
        if (read == null) {
            throw new ShardedIdConfigurationException("'%s' must be %s: %s='%s'%s".formatted(key, this.form, key,
                    (this == SEALING_KEYS) ? "******" : value,
                    (value instanceof String) ? "" : " of type " + value.getClass().getName()));
        }
        return read;
    }

    private boolean accepts(Object value) {
        return switch (this) {
            case TEXT -> false;
            case PUBLIC_ID_FORM -> value instanceof PublicIdForm && value != PublicIdForm.CONFIGURED;
            case MANAGED -> value instanceof Boolean || value instanceof ShardedIdSettings;
            default -> this.javaType.isInstance(value);
        };
    }

    private static @Nullable Object instant(String text) {
        try {
            return Instant.parse(text);
        }
        catch (DateTimeParseException ex) {
            return null;
        }
    }

    private static @Nullable Object duration(String text) {
        Matcher simple = SIMPLE_DURATION.matcher(text);
        try {
            if (simple.matches()) {
                return Duration.of(Long.parseLong(simple.group(1)), unit(simple.group(2)));
            }
            Duration iso = Duration.parse(text);
            return iso.isNegative() ? null : iso;
        }
        catch (DateTimeParseException ex) {
            return null;
        }
    }

    private static ChronoUnit unit(String name) {
        return switch (name) {
            case "ns" -> ChronoUnit.NANOS;
            case "us" -> ChronoUnit.MICROS;
            case "ms" -> ChronoUnit.MILLIS;
            case "s" -> ChronoUnit.SECONDS;
            case "m" -> ChronoUnit.MINUTES;
            case "h" -> ChronoUnit.HOURS;
            default -> ChronoUnit.DAYS;
        };
    }

    private static @Nullable Object integer(String text) {
        try {
            return Integer.valueOf(text);
        }
        catch (NumberFormatException ex) {
            return null;
        }
    }

    private static @Nullable Object truth(String text) {
        return text.equals("true") ? Boolean.TRUE : text.equals("false") ? Boolean.FALSE : null;
    }

    private static Object sealingKeys(String text) {
        try {
            return SealingKeys.of(Arrays.stream(text.split(",", -1)).map(String::strip).toList());
        }
        catch (ShardedIdConfigurationException ex) {
            throw new ShardedIdConfigurationException(
                    "Could not read '%s': %s".formatted(ShardedIdKey.SEALING_KEYS.externalName(), ex.getMessage()));
        }
    }

    private static <E extends Enum<E>> @Nullable Object constant(Class<E> type, String text) {
        for (E constant : type.getEnumConstants()) {
            if (externalName(constant).equals(text)) {
                return constant;
            }
        }
        return null;
    }

    private static <E extends Enum<E>> String oneOf(Class<E> type) {
        return "one of " + Arrays.stream(type.getEnumConstants())
            .map(SettingType::externalName)
            .collect(Collectors.joining(", "));
    }

    /** Spells a constant as configuration does: {@code first-use}. */
    static String externalName(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

}
