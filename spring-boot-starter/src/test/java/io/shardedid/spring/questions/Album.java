package io.shardedid.spring.questions;

import java.util.ArrayList;
import java.util.List;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.OneToMany;

/** Has pages that it writes the foreign key of. */
@Entity
class Album extends Owned<Owner> {

    @OneToMany(cascade = CascadeType.ALL)
    @JoinColumn(name = "album_id", nullable = false)
    private List<Page> pages = new ArrayList<>();

    protected Album() {
    }

    Album(Owner owner) {
        super(owner);
    }

    void add(Page page) {
        page.album = this;
        this.pages.add(page);
    }

    List<Page> getPages() {
        return this.pages;
    }

}
