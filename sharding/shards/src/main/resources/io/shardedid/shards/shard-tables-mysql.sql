-- The tables of the shard map of ShardedId, for MySQL. They live beside the lease table. Who changes the map first
-- raises the version of row -1 with a new random identity, and then writes both into each row that changes, in the same transaction.
CREATE TABLE IF NOT EXISTS shardedid_shard (
  namespace  VARCHAR(64) NOT NULL,
  shard      INTEGER     NOT NULL,   -- a logical shard; -1 is the row of the whole map
  home       VARCHAR(63) NOT NULL,   -- the database that holds the shard; of row -1: 'map'
  version    BIGINT      NOT NULL,   -- the version of the map that brought the shard home; of row -1: that of the map
  identity   BIGINT      NOT NULL,   -- a random number of that change: a database that loses commits gives a version twice
  mover      BIGINT      NOT NULL,   -- fencing token of the mover that moved it last, 0 = nobody; of row -1: the last one given
  source     VARCHAR(63),            -- while the shard moves: the database that it leaves
  target     VARCHAR(63),            -- while the shard moves: the database where it goes
  step       VARCHAR(32),            -- while the shard moves: the step that was reached
  changed_at BIGINT      NOT NULL,   -- when the row was written: clock of this database, epoch ms
  PRIMARY KEY (namespace, shard),
  CHECK (shard >= -1 AND version >= 0 AND mover >= 0),
  CHECK (source IS NULL AND target IS NULL AND step IS NULL
    OR shard >= 0 AND source IS NOT NULL AND target IS NOT NULL AND step IS NOT NULL)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
-- The databases behind the names: the first router notes which one a name leads to, and nothing takes another one for it.
CREATE TABLE IF NOT EXISTS shardedid_database (
  namespace VARCHAR(64) NOT NULL,
  name      VARCHAR(63) NOT NULL,   -- the name in shardedid.databases.*
  identity  VARCHAR(36) NOT NULL,   -- as the table shardedid_identity of that database has it
  PRIMARY KEY (namespace, name)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
