package io.shardedid.jackson;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

import io.shardedid.format.PublicIdForm;
import io.shardedid.format.PublicIdFormat;
import io.shardedid.format.PublicIdFormats;
import org.jspecify.annotations.Nullable;

/**
 * What a module was told. Both Jacksons share it.
 *
 * <p>
 * A mapper that is serialized carries neither the keys of sealed ids, so that its copy
 * refuses them, nor the watch over numbers.
 *
 * @param more returns the attributes of a class that hold ids although nothing on them
 * says so
 * @param numbers what becomes of the numbers that nothing marks
 * @param formats the forms of the ids
 * @param plainToo whether plain numbers are read beside texts of another form
 */
record IdRules(BiFunction<Class<?>, List<Class<?>>, Map<String, Class<?>>> more, UnmarkedNumbers numbers,
        PublicIdFormats formats, boolean plainToo) implements Serializable {

    JsonIds namedBy(Class<?> type, List<Class<?>> arguments) {
        return JsonIds.namedBy(type, arguments, this.more);
    }

    PublicIdFormat format(@Nullable JsonShardedId mark) {
        return JsonIds.format(mark, this.formats);
    }

    /** How a member is read: rows from before may have negative ids, and keys as well. */
    JsonIds.Reading reading(@Nullable JsonShardedId mark) {
        return new JsonIds.Reading(format(mark), this.plainToo, mark == null);
    }

    /** How an attribute of an entity is read. */
    JsonIds.Reading reading(PublicIdFormat format) {
        return new JsonIds.Reading(format, this.plainToo, true);
    }

    private Object writeReplace() {
        return new Carried(this.more, this.numbers.areStrings(), this.formats.form(), this.plainToo);
    }

    @SuppressWarnings("serial")
    private record Carried(BiFunction<Class<?>, List<Class<?>>, Map<String, Class<?>>> more, boolean asStrings,
            PublicIdForm form, boolean plainToo) implements Serializable {

        private Object readResolve() {
            return new IdRules(this.more, this.asStrings ? UnmarkedNumbers.asStrings() : UnmarkedNumbers.asTheyAre(),
                    PublicIdFormats.of(this.form, null), this.plainToo);
        }

    }

}
