package com.acme.accounts;

import jakarta.persistence.Entity;

/** A row of a subclass. */
@Entity
public class Premium extends Account {

    protected Premium() {
    }

    public Premium(String email, String name) {
        super(email, name);
    }

}
