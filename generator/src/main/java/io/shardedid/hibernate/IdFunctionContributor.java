package io.shardedid.hibernate;

import java.time.Instant;
import java.util.Optional;

import io.shardedid.IdLayout;

import org.hibernate.boot.model.FunctionContributions;
import org.hibernate.boot.model.FunctionContributor;
import org.hibernate.query.sqm.produce.function.FunctionParameterType;
import org.hibernate.service.ServiceRegistry;

/**
 * Makes {@code shard_of(id)} and {@code id_instant(id)} known to HQL and Criteria, by the
 * layout of the persistence unit. Hibernate finds this class by
 * {@code META-INF/services}.
 */
public final class IdFunctionContributor implements FunctionContributor {

    /** The name of the function that returns the shard of an id, an {@code Integer}. */
    public static final String SHARD_OF = "shard_of";

    /** The name of the function that returns the time of an id, an {@code Instant}. */
    public static final String ID_INSTANT = "id_instant";

    /** Called by Hibernate. */
    public IdFunctionContributor() {
    }

    @Override
    public void contributeFunctions(FunctionContributions contributions) {
        Optional<IdSql> sql = IdSql.of(contributions.getDialect());
        // absent where Hibernate asks what a dialect can do, and builds no unit
        ServiceRegistry services = contributions.getServiceRegistry();
        // a unit whose settings give no layout has no sharded ids, or is not built
        Optional<IdLayout> layout = (services != null)
                ? services.requireService(ShardedIdService.class).layoutIfReadable() : Optional.empty();
        if (sql.isPresent() && layout.isPresent()) {
            register(contributions, SHARD_OF, sql.get().shardOf(layout.get()), Integer.class);
            register(contributions, ID_INSTANT, sql.get().instantOf(layout.get()), Instant.class);
        }
    }

    private static void register(FunctionContributions contributions, String name, String sql, Class<?> result) {
        contributions.getFunctionRegistry()
            .patternDescriptorBuilder(name, sql)
            .setExactArgumentCount(1)
            .setParameterTypes(FunctionParameterType.INTEGER)
            .setInvariantType(contributions.getTypeConfiguration().getBasicTypeForJavaType(result))
            .setArgumentListSignature("(INTEGER id)")
            .register();
    }

}
