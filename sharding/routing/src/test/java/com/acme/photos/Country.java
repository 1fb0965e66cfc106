package com.acme.photos;

import io.shardedid.routing.EveryDatabase;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** Reference data: its rows have no shard. */
@Entity
@EveryDatabase
public class Country {

    @Id
    private String code;

    private String name;

    protected Country() {
    }

    public Country(String code, String name) {
        this.code = code;
        this.name = name;
    }

    public String getCode() {
        return this.code;
    }

    public String getName() {
        return this.name;
    }

}
