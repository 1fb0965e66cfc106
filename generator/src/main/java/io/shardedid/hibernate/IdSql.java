package io.shardedid.hibernate;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

import io.shardedid.IdField;
import io.shardedid.IdLayout;

import org.hibernate.dialect.Dialect;
import org.hibernate.dialect.H2Dialect;
import org.hibernate.dialect.MySQLDialect;
import org.hibernate.dialect.PostgreSQLDialect;

/**
 * How a database reads the fields of an id: patterns in which {@code ?1} is the id. Whole
 * numbers only, so that an instant is exact to the microsecond in every layout.
 */
enum IdSql {

    POSTGRESQL("((%s >> %d) & %d)",
            "(timestamp with time zone '%s+00' + (%s / 1000000) * interval '1 second' "
                    + "+ (%2$s %% 1000000) * interval '1 microsecond')"),

    /** MariaDB too. */
    MYSQL("((%s >> %d) & %d)", "(timestamp '%s' + interval (%s) microsecond)"),

    /** Its {@code dateadd} counts seconds in 32 bits. */
    H2("bitand(rshift(%s, %d), %d)", "dateadd(microsecond, mod(%2$s, 86400000000), "
            + "dateadd(day, (%2$s) / 86400000000, timestamp with time zone '%1$s+00'))");

    private static final DateTimeFormatter MICROSECONDS = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS")
        .withZone(ZoneOffset.UTC);

    private final String bits;

    private final String instant;

    IdSql(String bits, String instant) {
        this.bits = bits;
        this.instant = instant;
    }

    /** The SQL of a database, or empty for one that nobody has tried. */
    static Optional<IdSql> of(Dialect dialect) {
        if (dialect instanceof PostgreSQLDialect) {
            return Optional.of(POSTGRESQL);
        }
        if (dialect instanceof MySQLDialect) {
            return Optional.of(MYSQL);
        }
        return (dialect instanceof H2Dialect) ? Optional.of(H2) : Optional.empty();
    }

    String shardOf(IdLayout layout) {
        return bits(layout.shiftOf(IdField.SHARD), layout.shardBits());
    }

    String instantOf(IdLayout layout) {
        int below = layout.shardBits() + layout.workerBits() + layout.sequenceBits();
        String micros = "%s * %d".formatted(bits(below, layout.timeBits()), layout.tick().toNanos() / 1000);
        Instant epoch = layout.epoch();
        return this.instant.formatted(MICROSECONDS.format(epoch), micros);
    }

    private String bits(int below, int width) {
        return this.bits.formatted("?1", below, (1L << width) - 1);
    }

}
