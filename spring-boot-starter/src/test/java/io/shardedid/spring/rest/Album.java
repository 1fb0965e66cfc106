package io.shardedid.spring.rest;

import java.util.ArrayList;
import java.util.List;

import io.shardedid.PublicId;
import io.shardedid.PublicIdForm;
import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.OneToMany;

@Entity
@PublicId(prefix = "alb_", form = PublicIdForm.SEALED)
public class Album {

    @Id
    @ShardedId
    private Long id;

    private String title;

    @OneToMany(mappedBy = "album")
    private List<Sheet> sheets = new ArrayList<>();

    public Long getId() {
        return this.id;
    }

    public void setId(Long id) {
        this.id = id;
    }

    public String getTitle() {
        return this.title;
    }

    public void setTitle(String title) {
        this.title = title;
    }

    public List<Sheet> getSheets() {
        return this.sheets;
    }

    public void setSheets(List<Sheet> sheets) {
        this.sheets = sheets;
    }

}
