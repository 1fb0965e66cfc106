package com.acme.accounts;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** A row whose shard key is a text. */
@Entity
public class Account {

    @Id
    @ShardedId(shardKey = "email")
    private Long id;

    private String email;

    private String name;

    protected Account() {
    }

    public Account(String email, String name) {
        this.email = email;
        this.name = name;
    }

    public Long getId() {
        return this.id;
    }

    public String getName() {
        return this.name;
    }

}
