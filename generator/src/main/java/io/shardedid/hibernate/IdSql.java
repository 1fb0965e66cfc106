package io.shardedid.hibernate;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;

import io.shardedid.IdField;
import io.shardedid.IdLayout;

import org.hibernate.dialect.Dialect;
import org.hibernate.dialect.H2Dialect;
import org.hibernate.dialect.MySQLDialect;
import org.hibernate.dialect.PostgreSQLDialect;

/**
 * How a database reads the fields of an id: patterns in which {@code ?1} is the id. Whole
 * numbers only, so that an instant is exact to the microsecond in every layout. UUIDs may
 * be in a column of type {@code uuid} or as texts, and in binary columns where the
 * database can tell.
 */
enum IdSql {

    POSTGRESQL("((%s >> %s) & %s)",
            "(timestamp with time zone '%s+00' + (%s / 1000000) * interval '1 second' "
                    + "+ (%2$s %% 1000000) * interval '1 microsecond')",
            "(((get_byte(uuid_send(cast(?1 as uuid)), 8) & 63) << 7) "
                    + "| (get_byte(uuid_send(cast(?1 as uuid)), 9) >> 1))",
            "(timestamp with time zone '1970-01-01 00:00:00+00' "
                    + "+ (MILLIS / 1000) * interval '1 second' + (MILLIS % 1000) * interval '1 millisecond')",
            "cast(cast('x' || substr(replace(cast(?1 as text), '-', ''), 1, 12) as bit(48)) as bigint)"),

    /** MariaDB too. */
    MYSQL("((%s >> %s) & %s)", "(timestamp '%s' + interval (%s) microsecond)",
            "((conv(substr(%s, 17, 4), 16, 10) >> 1) & 8191)".formatted(IdSql.MYSQL_HEX),
            "(timestamp '1970-01-01 00:00:00.000000' + interval (MILLIS * 1000) microsecond)",
            "cast(conv(substr(%s, 1, 12), 16, 10) as unsigned)".formatted(IdSql.MYSQL_HEX)),

    /**
     * Its {@code dateadd} counts seconds in 32 bits, and it asks for the type of a
     * parameter.
     */
    H2("bitand(rshift(cast(%s as bigint), %s), %s)",
            "dateadd(microsecond, mod(%2$s, 86400000000), "
                    + "dateadd(day, (%2$s) / 86400000000, timestamp with time zone '%1$s+00'))",
            "bitand(rshift(cast(cast(substring(cast(cast(?1 as uuid) as varbinary) from 9 for 8) as binary(8)) "
                    + "as bigint), 49), 8191)",
            "dateadd(millisecond, mod(MILLIS, 86400000), dateadd(day, MILLIS / 86400000, "
                    + "timestamp with time zone '1970-01-01 00:00:00+00'))",
            "bitand(rshift(cast(cast(substring(cast(cast(?1 as uuid) as varbinary) from 1 for 8) as binary(8)) "
                    + "as bigint), 16), 281474976710655)");

    /** The 32 digits; 16 bytes are the UUID itself. */
    private static final String MYSQL_HEX = "if(octet_length(?1) = 16, hex(?1), replace(cast(?1 as char), '-', ''))";

    private static final DateTimeFormatter MICROSECONDS = DateTimeFormatter
        .ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS", Locale.ROOT)
        .withZone(ZoneOffset.UTC);

    private final String bits;

    private final String instant;

    /** The shard of a UUID. */
    final String uuidShard;

    /** The time of a UUID, exact to the millisecond that it has. */
    final String uuidInstant;

    IdSql(String bits, String instant, String uuidShard, String uuidInstant, String uuidMillis) {
        this.bits = bits;
        this.instant = instant;
        this.uuidShard = uuidShard;
        this.uuidInstant = uuidInstant.replace("MILLIS", uuidMillis);
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
        String micros = "%s * %s".formatted(bits(below, layout.timeBits()), layout.tick().toNanos() / 1000);
        Instant epoch = layout.epoch();
        return this.instant.formatted(MICROSECONDS.format(epoch), micros);
    }

    private String bits(int below, int width) {
        return this.bits.formatted("?1", below, (1L << width) - 1);
    }

}
