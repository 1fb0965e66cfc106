package io.shardedid.spring.boot;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.shardedid.ShardedIdConfigurationException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Refuses a Spring Boot that the starter was not made for, before any bean is made: an
 * older one would read only a part of the starter, or nothing, and then rows would get
 * ids of another layout than the one that was configured. A later line of the newest
 * major version may well work, so it is only warned of.
 *
 * <p>
 * It is an initializer because every Spring Boot calls those, also one that looks for
 * auto-configurations elsewhere.
 */
final class SpringBootLine implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    /** In rising order. The tests of the starter run on each of them. */
    static final List<String> TESTED = List.of("3.5", "4.0", "4.1");

    private static final Log LOG = LogFactory.getLog(SpringBootLine.class);

    private static final Pattern LINE = Pattern.compile("(\\d+)\\.(\\d+)(\\D.*)?");

    private final @Nullable String version;

    SpringBootLine() {
        this(SpringBootVersion.getVersion());
    }

    SpringBootLine(@Nullable String version) {
        this.version = version;
    }

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        Matcher line = LINE.matcher((this.version != null) ? this.version : "");
        boolean known = line.matches();
        if (known && TESTED.contains(line.group(1) + "." + line.group(2))) {
            return;
        }
        if (known && isAfterNewest(line)) {
            LOG.warn(("Spring Boot is newer than every line that 'shardedid-spring-boot-starter' was tested with: "
                    + "version=%s (tested: %s); look for a newer release of the starter")
                .formatted(this.version, String.join(", ", TESTED)));
            return;
        }
        throw new ShardedIdConfigurationException(
                ("Spring Boot must be of a line that 'shardedid-spring-boot-starter' supports: version=%s "
                        + "(supported: %s)")
                    .formatted(known ? this.version : "'" + this.version + "'", String.join(", ", TESTED)),
                "change the version of Spring Boot, or take a release of the starter that supports it");
    }

    /**
     * Major versions change what a starter stands on, so the next one is no such line.
     */
    private static boolean isAfterNewest(Matcher line) {
        String[] newest = TESTED.get(TESTED.size() - 1).split("\\.", -1);
        return line.group(1).equals(newest[0]) && Integer.parseInt(line.group(2)) > Integer.parseInt(newest[1]);
    }

}
