package io.shardedid.worker;

import java.sql.Connection;

/** Breaks the rule that the protocol and its keeper know nothing of JDBC. */
public class WorkerThatSeesJdbc {

    Connection connection;

}
