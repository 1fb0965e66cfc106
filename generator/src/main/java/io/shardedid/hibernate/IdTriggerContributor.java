package io.shardedid.hibernate;

import io.shardedid.IdStrategy;
import io.shardedid.ShardedId;
import io.shardedid.key.NumberForm;

import org.hibernate.boot.ResourceStreamLocator;
import org.hibernate.boot.spi.AdditionalMappingContributions;
import org.hibernate.boot.spi.AdditionalMappingContributor;
import org.hibernate.boot.spi.InFlightMetadataCollector;
import org.hibernate.boot.spi.MetadataBuildingContext;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.mapping.Property;

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
        boolean any = false;
        for (PersistentClass entity : metadata.getEntityBindings()) {
            ShardedId annotation = TriggerMapping.declared(entity).orElse(null);
            if (annotation != null) {
                leaveToTrigger(annotation, entity, service, metadata);
                any = true;
            }
        }
        if (any) {
            metadata.getDatabase().addAuxiliaryDatabaseObject(new IdTriggerObjects(metadata, service));
        }
    }

    private static void leaveToTrigger(ShardedId annotation, PersistentClass entity, ShardedIdService service,
            InFlightMetadataCollector metadata) {
        Property id = entity.getIdentifierProperty();
        ShardKeyMapping mapping = ShardKeyMapping.of(annotation, entity, id, service::layoutIfReadable,
                service::shardFunction);
        TriggerMapping.of(annotation, entity, mapping, metadata.getDatabase().getDialect());
        service.generated().add(entity.getEntityName(), id.getName(), IdStrategy.DATABASE, service.layout());
        if (service.onlyUuids()) {
            throw GeneratedAttribute.refusedByChance(entity.getEntityName(), id.getName());
        }
        service.databaseIds();
        if (mapping != null) {
            service.generated()
                .addRow(entity.getEntityName(), new ShardedRow(mapping.key(),
                        new ShardCarrier(NumberForm.Plain.NUMBER, null), service.layout()));
        }
        TriggerIdGenerator.replaceGeneratorOf(id);
    }

}
