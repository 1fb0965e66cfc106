-- The lease table of ShardedId, for Oracle. Run shardedid-lease-tck on your database first. Nobody drops it, empties it or lowers hwm_tick while a process runs.
CREATE TABLE shardedid_worker (
  namespace   VARCHAR2(64 CHAR)   NOT NULL,
  worker_id   NUMBER(10)         NOT NULL,   -- a worker id; -1 is the layout row
  token       VARCHAR2(36 CHAR)   NOT NULL,   -- random, new on every write; of the layout row: the identity of this database
  fence       NUMBER(19)         NOT NULL,   -- how often the worker id was acquired
  lease_until NUMBER(19)         NOT NULL,   -- when it may be taken: clock of this database, epoch ms; 0 = free
  hwm_tick    NUMBER(19)         NOT NULL,   -- first tick never leased to anyone under this worker id
  owner       VARCHAR2(255 CHAR),            -- application, host, process
  layout      VARCHAR2(255 CHAR),            -- of the layout row: the fingerprint
  PRIMARY KEY (namespace, worker_id)
);
