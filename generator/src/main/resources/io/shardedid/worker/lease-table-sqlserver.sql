-- The lease table of ShardedId, for SQL Server. Run shardedid-lease-tck on your database first. Nobody drops it, empties it or lowers hwm_tick while a process runs.
CREATE TABLE shardedid_worker (
  namespace   NVARCHAR(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
  worker_id   INTEGER NOT NULL,   -- a worker id; -1 is the layout row
  token       NVARCHAR(36) COLLATE Latin1_General_100_BIN2 NOT NULL,   -- random, new on every write; of the layout row: the identity of this database
  fence       BIGINT NOT NULL,   -- how often the worker id was acquired
  lease_until BIGINT NOT NULL,   -- when it may be taken: clock of this database, epoch ms; 0 = free
  hwm_tick    BIGINT NOT NULL,   -- first tick never leased to anyone under this worker id
  owner       NVARCHAR(255),            -- application, host, process
  layout      NVARCHAR(255),            -- of the layout row: the fingerprint
  PRIMARY KEY (namespace, worker_id)
);
