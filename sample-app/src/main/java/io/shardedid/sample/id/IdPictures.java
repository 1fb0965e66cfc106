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
        this(ids.layout());
    }

    IdPictures(IdLayout layout) {
        this.layout = layout;
    }

    public List<BitField> of(String id) {
        return of(Long.parseLong(id));
    }

    List<BitField> of(long id) {
        List<BitField> fields = new ArrayList<>();
        fields.add(BitField.of("sign", id, 63, 1));
        int below = this.layout.shardBits() + this.layout.workerBits() + this.layout.sequenceBits();
        int unused = 63 - this.layout.timeBits() - below;
        int next = add(fields, "unused", id, 62, unused);
        next = add(fields, "time", id, next, this.layout.timeBits());
        for (IdField field : this.layout.order()) {
            next = add(fields, field.name().toLowerCase(Locale.ROOT), id, next, this.layout.widthOf(field));
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
