package com.acme.wrong;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** An entity without a shard, of which nobody says that every database has it. */
@Entity
public class Wrong {

    @Id
    Long id;

}
