package io.shardedid.database;

import java.util.List;

import io.shardedid.hibernate.DatabaseIdentifier;
import io.shardedid.hibernate.ShardedIdService;

import org.hibernate.boot.ResourceStreamLocator;
import org.hibernate.boot.spi.AdditionalMappingContributions;
import org.hibernate.boot.spi.AdditionalMappingContributor;
import org.hibernate.boot.spi.InFlightMetadataCollector;
import org.hibernate.boot.spi.MetadataBuildingContext;

/**
 * Leaves the identifiers of entities that say so to triggers of the database, and puts
 * these into the schema. Runs when the mapping is complete and before any generator is
 * made. Hibernate finds this class by {@code META-INF/services}.
 *
 * @since 0.1
 */
public final class IdTriggerContributor implements AdditionalMappingContributor {

    /** Called by Hibernate. */
    public IdTriggerContributor() {
    }

    @Override
    public void contribute(AdditionalMappingContributions contributions, InFlightMetadataCollector metadata,
            ResourceStreamLocator resourceStreamLocator, MetadataBuildingContext buildingContext) {
        ShardedIdService service = buildingContext.getBootstrapContext()
            .getServiceRegistry()
            .requireService(ShardedIdService.class);
        List<DatabaseIdentifier> identifiers = DatabaseIdentifier.of(metadata, service);
        for (DatabaseIdentifier identifier : identifiers) {
            // the script makes both again; this refuses early what it could not make
            TriggerMapping.of(identifier, metadata.getDatabase().getDialect());
            identifier.leaveToDatabase();
            DatabaseIds.of(service.reader());
            TriggerIdGenerator.replaceGeneratorOf(identifier.attribute());
        }
        if (!identifiers.isEmpty()) {
            metadata.getDatabase().addAuxiliaryDatabaseObject(new IdTriggerObjects(metadata, service));
        }
    }

}
