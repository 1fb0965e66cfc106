package io.shardedid.spring.questions;

import jakarta.persistence.Entity;

@Entity
class Remark extends Owned<Album> {

    protected Remark() {
    }

    Remark(Album album) {
        super(album);
    }

}
