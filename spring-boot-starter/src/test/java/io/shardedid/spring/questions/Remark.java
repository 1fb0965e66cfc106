package io.shardedid.spring.questions;

import jakarta.persistence.Entity;

@Entity(name = "QuestionsRemark")
class Remark extends Owned<Album> {

    protected Remark() {
    }

    Remark(Album album) {
        super(album);
    }

}
