package io.shardedid.hibernate;

import java.time.Instant;
import java.util.Optional;

import io.shardedid.IdLayout;

import org.hibernate.boot.model.FunctionContributions;
import org.hibernate.boot.model.FunctionContributor;
import org.hibernate.query.sqm.produce.function.FunctionParameterType;
import org.hibernate.query.sqm.produce.function.PatternFunctionDescriptorBuilder;
import org.hibernate.service.ServiceRegistry;
import org.hibernate.type.BasicType;
import org.hibernate.type.BasicTypeRegistry;
import org.hibernate.type.SqlTypes;

/**
 * Makes {@code shard_of(id)}, an {@code Integer}, and {@code id_instant(id)}, an
 * {@code Instant}, known to HQL and Criteria, by the layout of the persistence unit, and
 * {@code uuid_shard_of(id)} and {@code uuid_instant(id)} for UUIDs. Hibernate finds this
 * class by {@code META-INF/services}.
 *
 * @since 0.1
 */
public final class IdFunctionContributor implements FunctionContributor {

    /** Called by Hibernate. */
    public IdFunctionContributor() {
    }

    @Override
    public void contributeFunctions(FunctionContributions contributions) {
        Optional<IdSql> sql = IdSql.of(contributions.getDialect());
        // absent where Hibernate asks what a dialect can do, and builds no unit
        ServiceRegistry services = contributions.getServiceRegistry();
        // a unit whose settings give no layout has no sharded ids, or is not built
        Optional<IdLayout> layout = (services != null) ? ShardedIdServiceContributor.of(services).layoutIfReadable()
                : Optional.empty();
        if (sql.isPresent() && layout.isPresent()) {
            BasicTypeRegistry types = contributions.getTypeConfiguration().getBasicTypeRegistry();
            BasicType<?> integers = types.resolve(Integer.class, SqlTypes.INTEGER);
            // the SQL has UTC, whatever type the unit prefers for instants
            BasicType<?> instants = types.resolve(Instant.class, SqlTypes.TIMESTAMP_UTC);
            pattern(contributions, "shard_of", sql.get().shardOf(layout.get()), integers)
                .setParameterTypes(FunctionParameterType.INTEGER)
                .register();
            pattern(contributions, "id_instant", sql.get().instantOf(layout.get()), instants)
                .setParameterTypes(FunctionParameterType.INTEGER)
                .register();
            pattern(contributions, "uuid_shard_of", sql.get().uuidShard, integers).register();
            pattern(contributions, "uuid_instant", sql.get().uuidInstant, instants).register();
        }
    }

    private static PatternFunctionDescriptorBuilder pattern(FunctionContributions contributions, String name,
            String sql, BasicType<?> result) {
        return contributions.getFunctionRegistry()
            .patternDescriptorBuilder(name, sql)
            .setExactArgumentCount(1)
            .setInvariantType(result);
    }

}
