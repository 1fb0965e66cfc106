package io.shardedid.sample.user;

import java.io.Serializable;

/**
 * The user of a session.
 *
 * @param id the user's id
 * @param name the user's name
 */
public record Visitor(long id, String name) implements Serializable {

    /** The attribute of the session, and of the model of every page. */
    public static final String ATTRIBUTE = "visitor";

}
