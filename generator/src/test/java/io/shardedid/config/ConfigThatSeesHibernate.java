package io.shardedid.config;

import org.hibernate.SessionFactory;

/** Breaks the rule that the configuration knows nothing of Hibernate. */
public class ConfigThatSeesHibernate {

    SessionFactory factory;

}
