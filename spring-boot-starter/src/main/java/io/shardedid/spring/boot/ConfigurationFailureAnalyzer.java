package io.shardedid.spring.boot;

import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.config.ShardedIdKey;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Reports a refused configuration, and where the properties that it names were set. It
 * comes before the analyzer of all other refusals.
 */
@Order(0)
final class ConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<ShardedIdConfigurationException> {

    private static final String KNOWN = " (known: ";

    private static final Pattern NEAREST = Pattern.compile("'([^']*)' \\(nearest: '([^']*)'\\)");

    private static final Pattern WAY_OUT = Pattern.compile("(?s).*; (?!or )(.+)");

    private final Environment environment;

    ConfigurationFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ShardedIdConfigurationException cause) {
        String message = String.valueOf(cause.getMessage());
        String accusing = withoutKnown(message);
        String origins = Arrays.stream(ShardedIdKey.values())
            .filter((key) -> names(accusing, key.externalName()))
            .map(this::origin)
            .filter(Objects::nonNull)
            .collect(Collectors.joining("\n"));
        return new FailureAnalysis("ShardedId could not be configured: " + accusing + ".",
                action(message, cause) + (origins.isEmpty() ? "" : " The keys are set here:\n\n" + origins), cause);
    }

    /** The nearest name, or the way out by which a message ends. */
    private static String action(String message, ShardedIdConfigurationException cause) {
        String nearest = NEAREST.matcher(message)
            .results()
            .map((found) -> "Write '%s' in place of '%s'.".formatted(found.group(2), found.group(1)))
            .collect(Collectors.joining(" "));
        if (!nearest.isEmpty()) {
            return nearest;
        }
        int known = message.indexOf(KNOWN);
        if (known >= 0) {
            return "Remove it, or write one of these:\n\n    "
                    + message.substring(known + KNOWN.length(), message.lastIndexOf(')'))
                        .replace("'", "")
                        .replace(", ", "\n    ");
        }
        Matcher wayOut = WAY_OUT.matcher(message);
        return wayOut.find() ? StringUtils.capitalize(wayOut.group(1)) + "." : cause.action();
    }

    /**
     * The list of known keys, which ends the refusal of an unknown one, accuses none of
     * them and would be one long line.
     */
    private static String withoutKnown(String message) {
        int known = message.indexOf(KNOWN);
        return (known < 0) ? message : message.substring(0, known);
    }

    private static boolean names(String accusing, String key) {
        return accusing.contains(key + "=") || accusing.contains("'" + key + "'");
    }

    private static boolean isWithoutUnit(ShardedIdKey key, ConfigurationProperty property) {
        return key.type() == Duration.class && String.valueOf(property.getValue()).matches("\\d+");
    }

    private @Nullable String origin(ShardedIdKey key) {
        ConfigurationPropertyName name = ConfigurationPropertyName.of(key.externalName());
        for (var source : ConfigurationPropertySources.get(this.environment)) {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            if (property != null) {
                return "    %s=%s (%s)%s".formatted(key.externalName(), key.isSecret() ? "******" : property.getValue(),
                        (property.getOrigin() != null) ? property.getOrigin() : source.getUnderlyingSource(),
                        isWithoutUnit(key, property) ? "; a number without a unit is milliseconds" : "");
            }
        }
        return null;
    }

}
