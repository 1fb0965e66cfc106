package com.acme.accounts;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.NamedQuery;

/** A row whose shard key is a text. */
@Entity
@NamedQuery(name = "Account.queryByEmailAndName", query = "from Account where email = ?1 or name = ?2")
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
