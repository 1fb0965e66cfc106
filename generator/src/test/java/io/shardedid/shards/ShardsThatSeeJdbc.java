package io.shardedid.shards;

import java.sql.Connection;

/** Breaks a rule of the architecture. */
public class ShardsThatSeeJdbc {

    Connection connection;

}
