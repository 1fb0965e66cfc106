package io.shardedid.sample.id;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.shardedid.IdField;
import io.shardedid.IdLayout;
import io.shardedid.ShardedIds;

import org.springframework.stereotype.Component;

/**
 * Cuts ids into their fields, in the order and widths of the layout in use. Templates
 * call it by its name.
 */
@Component("idPictures")
public class IdPictures {

    private final IdLayout layout;

    IdPictures(ShardedIds ids) {
        this.layout = ids.layout();
    }

    public List<BitField> of(long id) {
        return of(id, this.layout);
    }

    static List<BitField> of(long id, IdLayout layout) {
        List<BitField> fields = new ArrayList<>();
        fields.add(BitField.of("sign", id, 63, 1));
        int below = layout.shardBits() + layout.workerBits() + layout.sequenceBits();
        int unused = 63 - layout.timeBits() - below;
        int next = add(fields, "unused", id, 62, unused);
        next = add(fields, "time", id, next, layout.timeBits());
        for (IdField field : layout.order()) {
            next = add(fields, field.name().toLowerCase(Locale.ROOT), id, next, layout.widthOf(field));
        }
        return List.copyOf(fields);
    }

    /** A field of width 0 is no field. */
    private static int add(List<BitField> fields, String name, long id, int from, int width) {
        if (width > 0) {
            fields.add(BitField.of(name, id, from, width));
        }
        return from - width;
    }

}
