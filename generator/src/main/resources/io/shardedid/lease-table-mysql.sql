-- The lease table of ShardedId, for MySQL. Nobody drops it, empties it or lowers hwm_tick while a process runs.
CREATE TABLE IF NOT EXISTS shardedid_worker (
  namespace   VARCHAR(64)  NOT NULL,
  worker_id   INTEGER      NOT NULL,   -- a worker id; -1 is the layout row
  token       VARCHAR(36)  NOT NULL,   -- random, new on every write; of the layout row: the identity of this database
  fence       BIGINT       NOT NULL,   -- how often the worker id was acquired
  lease_until BIGINT       NOT NULL,   -- when it may be taken: clock of this database, epoch ms; 0 = free
  hwm_tick    BIGINT       NOT NULL,   -- first tick never leased to anyone under this worker id
  owner       VARCHAR(255),            -- application, host, process
  layout      VARCHAR(255),            -- of the layout row: the fingerprint; of others: the mode and times of the lease
  PRIMARY KEY (namespace, worker_id)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
