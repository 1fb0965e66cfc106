package io.shardedid.jackson;

import java.io.Serializable;
import java.util.Collection;
import java.util.Optional;
import java.util.ServiceLoader;

import io.shardedid.config.JsonAsString;
import io.shardedid.config.ShardedIdSettings;

/**
 * The texts of the ids of an application: the number for all entities, unless a module on
 * the class path gives them other ones: {@code ServiceLoader} finds its class.
 * Implementations are immutable and thread-safe.
 *
 * @since 0.1
 */
public interface IdTexts extends Serializable {

    /**
     * Returns the texts of an application.
     * @param settings its settings
     * @return those of the module on the class path, or the numbers, which refuse
     * entities with {@link io.shardedid.PublicId}
     * @throws io.shardedid.ShardedIdConfigurationException if the settings of the module
     * make no sense
     */
    static IdTexts of(ShardedIdSettings settings) {
        return unconfigured().configured(settings);
    }

    /**
     * Returns the texts of an application that has configured nothing.
     * @return as {@link #of(ShardedIdSettings)} does
     */
    static IdTexts unconfigured() {
        return ServiceLoader.load(IdTexts.class, IdTexts.class.getClassLoader())
            .findFirst()
            .orElse(DecimalText.DECIMAL);
    }

    /**
     * Returns the texts of an application, as {@link #of(ShardedIdSettings)} does.
     * @param settings its settings
     * @return the texts
     * @throws io.shardedid.ShardedIdConfigurationException if the settings make no sense
     */
    IdTexts configured(ShardedIdSettings settings);

    /**
     * Returns the texts of the ids of an entity. Keep the result.
     * @param entity the class of the entity, or a subclass of it such as a proxy
     * @return the texts
     * @throws io.shardedid.ShardedIdConfigurationException if the entity asks for what
     * cannot be
     */
    IdText forEntity(Class<?> entity);

    /**
     * Returns the texts of an attribute that holds the id of its entity.
     * @param entity the class of the entity, or a subclass of it such as a proxy
     * @param attribute the name of the attribute, for messages
     * @param type the type of the attribute
     * @return the texts, or empty for an attribute that is no {@code long} or
     * {@code Long} and therefore keeps the form of its type
     * @throws io.shardedid.ShardedIdConfigurationException if the entity asks for what
     * cannot be
     */
    Optional<IdText> forAttribute(Class<?> entity, String attribute, Class<?> type);

    /**
     * Returns the texts of ids whose entity is not known.
     * @return the texts for all entities
     * @throws io.shardedid.ShardedIdConfigurationException if they depend on the entity
     */
    IdText withoutEntity();

    /**
     * Returns whether ids are the plain numbers where their entity says nothing else.
     * @return true for the numbers
     */
    boolean plain();

    /**
     * Checks, before there are any ids, that JSON and the web can carry them.
     * @param entities the classes of all entities with sharded ids
     * @param json which whole numbers are written as strings in JSON
     * @throws io.shardedid.ShardedIdConfigurationException if an entity asks for what
     * cannot be
     */
    void check(Collection<Class<?>> entities, JsonAsString json);

}
