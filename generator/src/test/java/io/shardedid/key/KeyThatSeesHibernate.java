package io.shardedid.key;

import org.hibernate.Session;

/** Breaks the rule that every integration can use this package. */
public class KeyThatSeesHibernate {

    Session session;

}
