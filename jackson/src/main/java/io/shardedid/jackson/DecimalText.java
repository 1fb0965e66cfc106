package io.shardedid.jackson;

import java.util.Collection;
import java.util.Optional;

import io.shardedid.IdLayout;
import io.shardedid.MessageText;
import io.shardedid.PublicIdForm;
import io.shardedid.config.JsonAsString;
import io.shardedid.config.ModuleKeys;
import io.shardedid.config.ShardedIdKey;
import io.shardedid.config.ShardedIdSettings;

/**
 * The number as a text, for the ids of all entities. An enum, so that it can be
 * serialized.
 */
enum DecimalText implements IdText, IdTexts {

    DECIMAL;

    /**
     * The settings refuse the form already, unless only a part of the module is there.
     */
    @Override
    public IdTexts configured(ShardedIdSettings settings) {
        if (settings.get(ShardedIdKey.FORM) != PublicIdForm.DECIMAL) {
            throw ModuleKeys.publicIdsMissing("'%s'".formatted(ShardedIdKey.FORM.externalName()), "key");
        }
        return this;
    }

    @Override
    public String format(long id) {
        return Long.toString(id);
    }

    @Override
    public long parse(String text) {
        return IdLayout.parseText(text)
            .orElseThrow(() -> new IllegalArgumentException(
                    "Could not read an id: text='%s' (it must be a whole number of 64 bits); take the text as it was given out"
                        .formatted(MessageText.shown(text))));
    }

    @Override
    public String pattern() {
        return "^[0-9]{1,19}$";
    }

    @Override
    public boolean plain() {
        return true;
    }

    @Override
    public IdText forEntity(Class<?> entity) {
        ModuleKeys.refusePublicId(entity);
        return this;
    }

    @Override
    public Optional<IdText> forAttribute(Class<?> entity, String attribute, Class<?> type) {
        ModuleKeys.refusePublicId(entity);
        return (type == long.class || type == Long.class) ? Optional.of(this) : Optional.empty();
    }

    @Override
    public IdText withoutEntity() {
        return this;
    }

    @Override
    public void check(Collection<Class<?>> entities, JsonAsString json) {
        entities.forEach(ModuleKeys::refusePublicId);
    }

}
